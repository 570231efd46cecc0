/**
 * What becomes of an event after an attempt: completed, closed, tried again at a time, or dead. Decides only;
 * finish-event.ts writes it down.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { Outcome } from '#core/handler/handler-contract.ts';
import type { Waiting } from '#core/inbound/protocol/event-writes.ts';
import type { EffectWrite, Random } from '#core/ports.ts';
import { backoffMs, spanMs } from '#core/retry/backoff.ts';
import { waitMs } from '#core/retry/judge-http-answer.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { Attempt, AttemptEnd } from './attempt.ts';

const UNREADY_WAIT_MS = MINUTE_MS;
const MAX_RETRY_AFTER_SECONDS = 7 * 86_400;

export type Ruling =
  | {
      readonly kind: 'complete';
      readonly outcome: Extract<Outcome, { kind: 'done' }>;
      readonly effects: readonly EffectWrite[];
      readonly onRefused?: readonly (Outcome | undefined)[] | undefined;
    }
  | { readonly kind: 'close'; readonly status: 'ignored' | 'rejected' | 'skipped_stale'; readonly reason: string }
  | {
      readonly kind: 'again';
      readonly at: EpochMs;
      readonly cause: string;
      readonly message: string;
      /** The attempt is given back: since when the event waits for something else. */
      readonly waiting?: Waiting;
      readonly splitNext?: string | undefined;
    }
  | { readonly kind: 'die'; readonly cause: string; readonly message: string };

/** What a ruling depends on beside the attempt and its end. */
interface Circumstances {
  readonly now: EpochMs;
  readonly deferLimitMs: number;
  readonly random: Random;
}

/** A wait that the handler chose, or passed on as the hint of a service. */
interface AskedWait {
  readonly ms: number;
  readonly isHint: boolean;
}

export function judgeAttempt(attempt: Attempt, end: AttemptEnd, at: Circumstances): Ruling {
  switch (end.kind) {
    case 'ignored':
      return { kind: 'close', status: 'ignored', reason: end.reason };
    case 'failed':
      return judgeFailure(attempt, end, at);
    case 'permanent':
      return { kind: 'die', cause: end.cause, message: end.message };
    case 'unready': {
      const since = attempt.item.unreadySince ?? at.now;
      const wait = { untilMs: at.now + UNREADY_WAIT_MS, since, reason: `${end.cause}: ${end.message}` };
      return judgeWait(wait, { unreadySince: since }, at, end.splitNext);
    }
    case 'outcome':
      return judgeOutcome(attempt, end, at);
  }
}

function judgeOutcome(attempt: Attempt, end: Extract<AttemptEnd, { kind: 'outcome' }>, at: Circumstances): Ruling {
  const { outcome, effects, onRefused } = end;
  switch (outcome.kind) {
    case 'done':
      return { kind: 'complete', outcome, effects, onRefused };
    case 'rejected':
      return { kind: 'close', status: 'rejected', reason: outcome.reason };
    case 'stale':
      return { kind: 'close', status: 'skipped_stale', reason: outcome.reason };
    case 'deferred': {
      const since = attempt.item.deferredSince ?? at.now;
      const wait = { untilMs: outcome.untilMs, since, reason: outcome.reason };
      return judgeWait(wait, { deferredSince: since }, at);
    }
    case 'retry': {
      const ms = Math.min(outcome.afterSeconds, MAX_RETRY_AFTER_SECONDS) * 1_000;
      const failure = { cause: 'retry_after', message: outcome.reason };
      return judgeFailure(attempt, failure, at, { ms, isHint: outcome.hint === true });
    }
  }
}

function judgeFailure(
  attempt: Attempt,
  { cause, message }: { readonly cause: string; readonly message: string },
  { now, random }: Circumstances,
  asked?: AskedWait,
): Ruling {
  const { item, retry } = attempt;
  const free = freeWait(attempt, now, asked);
  if (free) return { kind: 'again', cause, message, ...free };
  if (item.attempts >= retry.attempts)
    return { kind: 'die', cause, message: `${message} (attempt ${item.attempts} of ${retry.attempts})` };
  const ownMs = backoffMs(retry, item.attempts, random);
  const delayMs = asked?.isHint ? waitMs(ownMs, asked.ms) : (asked?.ms ?? ownMs);
  return { kind: 'again', at: now + delayMs, cause, message };
}

/**
 * A wait that costs no attempt: the handler asked for it, or an open breaker says that the dependency is away. For as long
 * as the schedule itself would last; after that it counts, so that every event ends.
 */
function freeWait(
  { item, retry, breaker }: Attempt,
  now: EpochMs,
  asked: AskedWait | undefined,
): { readonly at: EpochMs; readonly waiting: Waiting } | undefined {
  const askedMs = asked === undefined || asked.isHint ? undefined : asked.ms;
  if (askedMs === undefined && breaker === undefined) return undefined;
  const since = item.unreadySince ?? now;
  if (now - since >= spanMs(retry)) return undefined;
  const at = Math.max(now + Math.max(askedMs ?? 0, 1_000), breaker?.backAt ?? 0);
  return { at, waiting: { unreadySince: since, ...(breaker === undefined ? {} : { waitsFor: breaker.name }) } };
}

/** A wait for another event or a dependency: up to a limit since it began. */
function judgeWait(
  wait: { readonly untilMs: EpochMs; readonly since: EpochMs; readonly reason: string },
  waiting: Waiting,
  { now, deferLimitMs }: Circumstances,
  splitNext?: string,
): Ruling {
  const latest = wait.since + deferLimitMs;
  if (now >= latest) return { kind: 'die', cause: 'deferred_too_long', message: wait.reason };
  const at = Math.min(Math.max(wait.untilMs, now + 1_000), latest);
  return { kind: 'again', at, cause: 'deferred', message: wait.reason, waiting, splitNext };
}
