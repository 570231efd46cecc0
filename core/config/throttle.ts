import { type Check, number } from '#core/problem.ts';

/** Requests per second (`rate`) and the most at once (`burst`). */
export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

const rate = number(1, 10_000, 'requests per second');
/** Of one route, or of all routes of an API. The versions before had an object of `rate` and `burst`. */
export const throttleShape: Check = (value, path, report) =>
  rate(value, path, problem =>
    report(typeof value === 'object' ? { ...problem, fix: 'write the rate alone: the burst is twice that' } : problem),
  );

/** At most 5,000 at once: the burst of an account. */
export const throttleOf = (perSecond: number): Throttle => ({ rate: perSecond, burst: Math.min(2 * perSecond, 5_000) });
