import { type Check, number, object } from '#core/problem.ts';

/** Requests per second (`rate`) and the most at once (`burst`). */
export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

/** Of one route, or of all routes of an API. */
export const throttleShape: Check = object<Throttle>(
  { rate: number(1, 10_000, 'requests per second'), burst: number(1, 5_000, 'requests') },
  ['rate', 'burst'],
);
