/**
 * The breaker of one endpoint: closed, open with a hold, one trial request, then recovering. Its state lies in the runtime item,
 * changes in the memory of the session that has the lease, and is written when that ends. Only what is the endpoint's fault
 * opens it; an answer about one message says nothing about its endpoint.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { Verdict } from '#core/outbound/ports.ts';
import { addToHours, type HourCount, readHours } from '#core/outbound/protocol/hours.ts';
import type { Rated, RuntimeItem } from '#core/outbound/protocol/items.ts';
import type { Random } from '#core/ports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { DrainRules } from './drain-ports.ts';
import { type DisableAt, jittered } from './schedule.ts';
import { isEndpoints, withFailed } from './whose-fault.ts';

type Absent = 'recovered' | 'ramp' | 'round' | 'throttles' | 'failingSince' | 'goneAt' | 'forbiddenAt' | 'recent';
type Held = 'failed' | 'silentSince' | 'holdUntil' | 'holdWhy' | 'holdSince';

/** Attributes of the runtime item, and their meaning. */
export type Breaker = Pick<RuntimeItem, 'opens' | 'probes'> & {
  readonly [Name in Absent | Held]?: RuntimeItem[Name] | undefined;
};
export interface BreakerRules extends Pick<DrainRules, 'hold' | 'opensAt'> {
  readonly now: EpochMs;
  readonly random: Random;
  /** Requests at once before it began to fail: what it recovers to. */
  readonly cap: number;
  /** The message that was asked about. */
  readonly about: string;
}
export const DEFAULT_HOLD = { baseSeconds: 30, capSeconds: 900 } as const;

const IN_A_ROW = 5;
const WINDOW = 20;
const SUCCESSES_TO_CLOSE = 3;
const THROTTLE_BASE_MS = 5_000;
const THROTTLE_CAP_MS = 15 * MINUTE_MS;
/** A second answer of this kind disables only after this long: one bad deploy must not end a subscription. */
const SECOND_WORD_MS = MINUTE_MS;
const TRIALS_TO_DISABLE = 10;

/** Open, its hold is over, and no trial request has succeeded yet: one request, and no more. */
export const isOnTrial = (breaker: Breaker): boolean => breaker.opens > 0 && breaker.recovered === undefined;

/** A trial request takes another of the oldest rows each time, then of all that are read: bad messages cannot keep the breaker open. */
const TRIED = 10;

/** Which of the oldest rows a trial request takes, from 0. `rows`: how many are read, at least 1. */
export const triedRow = ({ probes }: Breaker, rows: number): number =>
  probes % (probes < TRIED ? Math.min(TRIED, rows) : rows);

/** Requests at once that the breaker allows, of those the pace does. */
export function breakerSlots(breaker: Breaker, cap: number): number {
  if (isOnTrial(breaker)) return 1;
  return Math.min(breaker.ramp ?? cap, cap);
}

/** The breaker after an answer. A hold that is set stays: what was in the air when it began opens nothing twice. */
export function afterAnswer(before: Breaker, verdict: Verdict, rules: BreakerRules): Breaker {
  const { fault } = verdict;
  if (fault === 'ours') return before;
  if (fault === 'none') return succeeded(before, rules);
  const breaker = { ...before, silentSince: fault === 'endpoint' ? (before.silentSince ?? rules.now) : undefined };
  if (fault === 'throttle') return throttled(breaker, verdict.retryAfterMs ?? 0, rules.now);
  if (fault === 'message') return aboutMessage(breaker, rules);
  const failing = { ...breaker, failed: withFailed(before.failed, rules.about) };
  if (isEndpoints(verdict, failing.failed)) return failed(failing, verdict, rules);
  // One message has failed so far: its failures are one word, and nobody knows yet whose fault they are.
  const isNew = before.failed === undefined;
  return aboutMessage(isNew ? { ...failing, recent: remember(failing, '0', rules) } : failing, rules);
}

/** Of failures, after a success. */
const FORGOTTEN = {
  throttles: undefined,
  failingSince: undefined,
  goneAt: undefined,
  forbiddenAt: undefined,
  failed: undefined,
  silentSince: undefined,
};

function succeeded(breaker: Breaker, rules: BreakerRules): Breaker {
  const good: Breaker = { ...breaker, ...FORGOTTEN, probes: 0, recent: remember(breaker, '1', rules) };
  if (isOnTrial(breaker)) return { ...good, recovered: 0, ramp: 1, round: 0 };
  const stepped = breaker.ramp === undefined ? good : stepUp(good, breaker.ramp, rules.cap);
  if (breaker.opens === 0) return stepped;
  const recovered = (breaker.recovered ?? 0) + 1;
  return recovered < SUCCESSES_TO_CLOSE
    ? { ...stepped, recovered }
    : { ...stepped, opens: 0, recovered: undefined, recent: '' };
}

/** A full round of successes doubles what may be in the air, until it is the old cap. */
function stepUp(breaker: Breaker, ramp: number, cap: number): Breaker {
  const round = (breaker.round ?? 0) + 1;
  if (round < ramp) return { ...breaker, round };
  return ramp * 2 >= cap ? { ...breaker, ramp: undefined, round: undefined } : { ...breaker, ramp: ramp * 2, round: 0 };
}

function failed(breaker: Breaker, verdict: Verdict, rules: BreakerRules): Breaker {
  const { now } = rules;
  const wasTrial = isOnTrial(breaker);
  const after: Breaker = {
    ...breaker,
    throttles: undefined,
    recent: remember(breaker, '0', rules),
    failingSince: breaker.failingSince ?? now,
    probes: breaker.probes + (wasTrial ? 1 : 0),
    ...(verdict.class === 'gone' ? { goneAt: breaker.goneAt ?? now } : {}),
    ...(verdict.class === 'forbidden_address' ? { forbiddenAt: breaker.forbiddenAt ?? now } : {}),
  };
  if (breaker.holdUntil !== undefined) return after;
  const opens = breaker.opens > 0 || verdict.class === 'gone' || opensBy(after.recent ?? '', rules);
  return opens ? opened(after, breaker.opens + 1, rules) : after;
}

/** By the given numbers; else the last five results failed, or half of the last twenty. */
function opensBy(recent: string, { opensAt }: BreakerRules): boolean {
  const counted = recent.slice(-(opensAt?.ofLast ?? WINDOW));
  const failures = counted.split('0').length - 1;
  if (opensAt !== undefined) return failures >= opensAt.failures;
  if (recent.endsWith('0'.repeat(IN_A_ROW))) return true;
  return recent.length === WINDOW && failures >= WINDOW / 2;
}

/** A trial request that met a bad message learnt nothing: the same hold again, and another message next time. */
function aboutMessage(breaker: Breaker, rules: BreakerRules): Breaker {
  const after = { ...breaker, throttles: undefined };
  if (!isOnTrial(breaker) || breaker.holdUntil !== undefined) return after;
  return opened({ ...after, probes: after.probes + 1 }, breaker.opens, rules);
}

function opened(breaker: Breaker, opens: number, { now, random, hold }: BreakerRules): Breaker {
  const seconds = Math.min(jittered(hold.baseSeconds * 2 ** Math.min(opens - 1, 20), random), hold.capSeconds);
  const holdUntil = Math.round(now + seconds * 1_000);
  return {
    ...breaker,
    opens,
    recovered: undefined,
    ramp: undefined,
    round: undefined,
    holdUntil,
    holdWhy: 'breaker',
    holdSince: now,
  };
}

/** Each throttled answer in a row doubles our own wait: a hostile `Retry-After: 1` cannot make us poll. */
function throttled(breaker: Breaker, askedMs: number, now: EpochMs): Breaker {
  const throttles = (breaker.throttles ?? 0) + 1;
  const ours = Math.min(THROTTLE_CAP_MS, THROTTLE_BASE_MS * 2 ** Math.min(throttles - 1, 20));
  const until = now + Math.max(ours, askedMs);
  const held = breaker.holdUntil;
  // Several answers to requests that were in the air together are one word.
  if (held !== undefined) return { ...breaker, holdUntil: Math.max(held, now + askedMs) };
  return { ...breaker, throttles, holdUntil: until, holdWhy: 'throttled', holdSince: now };
}

/** At least twenty, also where fewer count: people are told how many failed in a row (core/words.ts). */
function remember({ recent = '' }: Breaker, result: '0' | '1', { opensAt }: BreakerRules): string {
  return (recent + result).slice(-Math.max(opensAt?.ofLast ?? 0, WINDOW));
}

export type DisableReason = 'gone' | 'forbidden_address' | 'requested' | 'failing' | 'failure_rate';
/** How long its owner knows before: the rate must still be over its limit then. */
const TOLD_BEFORE_MS = HOUR_MS;

/**
 * What the rate goes by, after an answer: successes, and the failures that the breaker counts. Repeated failures of one
 * message alone are one, and what a message deserved is none.
 */
export function rate(
  before: Rated | undefined,
  verdict: Pick<Verdict, 'fault'>,
  { now, known, failed, limit }: RateRules,
): Rated | undefined {
  const isFirst = verdict.fault === 'ambiguous' && known === undefined;
  const fails = isEndpoints(verdict, failed) || isFirst;
  if (!fails && verdict.fault !== 'none') return before;
  const hours = addToHours(before?.hours, now, { ok: fails ? 0 : 1, fail: fails ? 1 : 0 });
  const { ok, fail } = sumOf(readHours(hours, now).slice(0, limit.hours));
  const isOver = ok + fail >= limit.attempts && fail >= limit.failureRate * (ok + fail);
  return isOver ? { hours, overSince: before?.overSince ?? now } : { hours };
}
interface RateRules {
  readonly now: EpochMs;
  /** The messages that failed since the last success, before the answer and after it. */
  readonly known: Breaker['failed'];
  readonly failed: Breaker['failed'];
  readonly limit: DisableAt;
}
const sumOf = (hours: readonly HourCount[]): HourCount =>
  hours.reduce((sum, { ok, fail }) => ({ ok: sum.ok + ok, fail: sum.fail + fail }), { ok: 0, fail: 0 });

/**
 * Why the session must disable the endpoint, after an answer. `before`: the breaker before it. `days`: without a success,
 * until the endpoint is disabled for what is its own fault; false: never.
 */
export function disableReason(
  before: Breaker,
  after: Breaker,
  verdict: Verdict,
  rules: { readonly now: EpochMs; readonly days: number | false; readonly rated?: Rated | undefined },
): DisableReason | undefined {
  const { now, days, rated } = rules;
  const saidBefore = (at: EpochMs | undefined): boolean => at !== undefined && now - at >= SECOND_WORD_MS;
  if (verdict.directive === 'disable') return 'requested';
  if (verdict.class === 'gone' && saidBefore(before.goneAt)) return 'gone';
  if (verdict.class === 'forbidden_address' && saidBefore(before.forbiddenAt)) return 'forbidden_address';
  const over = rated?.overSince;
  if (days === false || !isEndpoints(verdict, after.failed)) return undefined;
  if (over !== undefined && now - over >= TOLD_BEFORE_MS) return 'failure_rate';
  const since = after.failingSince;
  if (since === undefined) return undefined;
  return after.probes >= TRIALS_TO_DISABLE && now - since >= days * DAY_MS ? 'failing' : undefined;
}
