/**
 * How fast one endpoint is served: requests at once by additive increase and multiplicative decrease, its rate limit as a
 * token bucket, and the lane of its wake-ups. Kept in the runtime item between sessions.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { Verdict } from '#core/outbound/ports.ts';
import type { SessionState } from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointItem, RuntimeItem } from '#core/outbound/protocol/items.ts';

export type Pace = Pick<RuntimeItem, 'cap' | 'ewmaMs' | 'lane'> &
  Pick<SessionState, 'steadyCap' | 'streak' | 'cooldown' | 'quick'>;
/** Requests at once of a new endpoint. */
const FIRST_CAP = 5;
export const FIRST_PACE = { cap: FIRST_CAP, ewmaMs: 0, lane: 'fast' } as const satisfies Pace;

const SMOOTHING = 0.2;
const SLOW_MS = 2_000;
const QUICK_MS = 1_000;
const QUICK_TO_BE_FAST = 20;
export const FULL_PAGES_TO_BE_SLOW = 3;

/** The pace after an answer that took `ms`. */
export function paceAfter<P extends Pace>(pace: P, verdict: Verdict, ms: number, maxConcurrency: number): P {
  const ewmaMs = Math.round(pace.ewmaMs === 0 ? ms : pace.ewmaMs + SMOOTHING * (ms - pace.ewmaMs));
  const good = verdict.fault === 'none';
  const quick = good && ms < QUICK_MS ? Math.min((pace.quick ?? 0) + 1, QUICK_TO_BE_FAST) : 0;
  const timed = { ...pace, ewmaMs, quick };
  if (good) return faster(timed, maxConcurrency);
  return verdict.fault === 'message' || verdict.fault === 'ours' ? timed : slower(timed);
}

/** One more, after as many successes as may be in the air. */
function faster<P extends Pace>(pace: P, maxConcurrency: number): P {
  const streak = (pace.streak ?? 0) + 1;
  const rested = Math.max(0, (pace.cooldown ?? 0) - 1);
  const steady = { ...pace, steadyCap: undefined, cooldown: rested === 0 ? undefined : rested };
  if (streak < pace.cap) return { ...steady, streak };
  return { ...steady, cap: Math.min(pace.cap + 1, Math.max(1, maxConcurrency)), streak: 0 };
}

/** Half, once a round: answers to requests that were in the air together are one fault. */
function slower<P extends Pace>(pace: P): P {
  const cooldown = pace.cooldown ?? 0;
  if (cooldown > 0) return { ...pace, streak: 0, cooldown: cooldown - 1 };
  const cap = Math.max(1, Math.floor(pace.cap / 2));
  return { ...pace, cap, streak: 0, cooldown: cap, steadyCap: pace.steadyCap ?? pace.cap };
}

/** The breaker opened: what it recovers to is the cap of before it began to fail. */
export function paceOnOpening<P extends Pace>(pace: P): P {
  return { ...pace, cap: pace.steadyCap ?? pace.cap, steadyCap: undefined, cooldown: undefined, streak: 0 };
}

/** Slow: long answers, an open breaker, or more waiting than three pages. Fast again after twenty quick answers. */
export function laneOf(pace: Pace, opens: number, fullPages: number): 'fast' | 'slow' {
  if (opens > 0 || fullPages >= FULL_PAGES_TO_BE_SLOW) return 'slow';
  if (pace.lane === 'slow') return (pace.quick ?? 0) >= QUICK_TO_BE_FAST && pace.ewmaMs <= SLOW_MS ? 'fast' : 'slow';
  return pace.ewmaMs > SLOW_MS ? 'slow' : 'fast';
}

export type Bucket = NonNullable<RuntimeItem['bucket']>;
/** Takes one request out of the bucket, or says how long until there is one. A new bucket is full. */
export function takeToken(
  bucket: Bucket | undefined,
  rate: NonNullable<EndpointItem['rate']>,
  now: EpochMs,
): { readonly bucket: Bucket; readonly waitMs: number } {
  const from = bucket ?? { tokens: rate.burst, at: now };
  const passed = Math.max(0, now - from.at) / 1_000;
  const tokens = Math.min(rate.burst, from.tokens + passed * rate.perSecond);
  if (tokens >= 1) return { bucket: { tokens: rounded(tokens - 1), at: now }, waitMs: 0 };
  return { bucket: { tokens: rounded(tokens), at: now }, waitMs: Math.ceil(((1 - tokens) / rate.perSecond) * 1_000) };
}

/** Stored numbers have few digits; rounded down, so that no token comes of nothing. */
const rounded = (tokens: number): number => Math.floor(tokens * 10_000) / 10_000;
