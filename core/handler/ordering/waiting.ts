/** How long an event that came too early waits for the one before it. */
import type { EpochMs } from '#core/glossary.ts';
import { defer, type HandlerContext, type Outcome } from '#core/handler/handler-contract.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';

/** `from`: half of the time that the waits above add up to, so that a claim a little early does not repeat its wait. */
const WAITS = [
  { from: 0, waitMs: 30 * SECOND_MS },
  { from: 15 * SECOND_MS, waitMs: 2 * MINUTE_MS },
  { from: 75 * SECOND_MS, waitMs: 10 * MINUTE_MS },
  { from: 375 * SECOND_MS, waitMs: HOUR_MS },
  { from: 2_175 * SECOND_MS, waitMs: 6 * HOUR_MS },
] as const;

/** Milliseconds to wait next, given those waited until now: 30 s, 2 min, 10 min, 1 h, then every 6 h. */
export function nextWaitMs(waitedMs: number): number {
  return WAITS.findLast(({ from }) => waitedMs >= from)?.waitMs ?? WAITS[0].waitMs;
}

/** Milliseconds since the event was first deferred. */
export function waitedMs(context: { readonly startedAt: EpochMs; readonly deferredSince?: EpochMs }): number {
  return context.startedAt - (context.deferredSince ?? context.startedAt);
}

/** Defers to the next time of the schedule. After 7 days in all the gateway dead-letters it (`deferred_too_long`). */
export function waitForEarlier(context: HandlerContext, reason: string): Outcome {
  return defer(context.startedAt + nextWaitMs(waitedMs(context)), reason);
}
