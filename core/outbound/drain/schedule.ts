/**
 * When a failed delivery is tried again: a list of waits after failures, jittered, never before what the endpoint asked. And
 * the other numbers of sending that people choose: when an endpoint is put on hold, and when a rate of failures disables it.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { Random } from '#core/ports.ts';

const doubling = Array.from({ length: 16 }, (_, k) => Math.min(5 * 2 ** k, 3_600));

/** Waits after the first, second … failure, in seconds. Attempts = waits + 1. */
export const SCHEDULES = {
  /** 75 h 35 min in all: outlasts a weekend. */
  standard: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  '7-hours': doubling,
  '34-hours': [60, 300, 1_800, 7_200, 28_800, 86_400],
  '27-hours': [60, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
} as const satisfies Readonly<Record<string, readonly number[]>>;
export type ScheduleName = keyof typeof SCHEDULES;

/** Numbers of other systems, by name. */
export const BREAKERS = {
  /** Five failures in a row, then half an hour. */
  'five-in-a-row': { failures: 5, ofLast: 5, openMinutes: 30 },
  /** Ten failures, whatever succeeds between them, then half an hour. */
  'ten-failures': { failures: 10, ofLast: 100, openMinutes: 30 },
} as const;
export const DISABLES = { 'nineteen-of-twenty': { failureRate: 0.95, attempts: 100, hours: 24 } } as const;

/** Of the results that count, the last `ofLast`; at most 100. */
export interface OpensAt {
  readonly failures: number;
  readonly ofLast: number;
}

/** A rate of failures that disables an endpoint: at least `failureRate` of at least `attempts` requests in `hours`. */
export interface DisableAt {
  readonly failureRate: number;
  readonly attempts: number;
  readonly hours: number;
}

const MAX_WAITS = 20;
const MAX_WAIT_SECONDS = 86_400;
/** Each wait is up to this share shorter or longer, so that deliveries that failed together do not return together. */
const JITTER = 0.2;

/** True for a list this engine runs: 1 to 20 waits of 1 s to 24 h. */
export function isSchedule(waits: readonly number[]): boolean {
  const fits = (wait: number): boolean => wait >= 1 && wait <= MAX_WAIT_SECONDS;
  return waits.length >= 1 && waits.length <= MAX_WAITS && waits.every(fits);
}

/** Charged attempts before a delivery is dead. A message may cut it. */
export function attemptsOf(waits: readonly number[], maxAttempts?: number): number {
  return Math.max(1, Math.min(waits.length + 1, maxAttempts ?? Number.POSITIVE_INFINITY));
}

/** A value up to 20 % away from the given one. */
export const jittered = (value: number, random: Random): number => value * (1 + JITTER * (2 * random.next() - 1));

/** When attempt `n + 1` is due, after charged failure `n`. `notBefore`: what the endpoint's answer asked for, ms from now. */
export function nextAttemptAt(
  waits: readonly number[],
  n: number,
  at: { readonly now: EpochMs; readonly random: Random; readonly notBefore?: number | undefined },
): EpochMs {
  const wait = waits[Math.min(n, waits.length) - 1] ?? MAX_WAIT_SECONDS;
  return Math.round(at.now + Math.max(jittered(wait * 1_000, at.random), at.notBefore ?? 0));
}
