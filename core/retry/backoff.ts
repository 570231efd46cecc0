/**
 * How long to wait before the next attempt. Half of each wait is random, so that events that failed together do not return
 * together; the other half is not, so that attempts never last shorter than half of the schedule.
 */

import type { Random } from '#core/ports.ts';

/** The longest wait doubles: `min(cap, base * 2^(attempt-1)) + 1 s`; the shortest is half of it. */
export interface RetryProfile {
  readonly attempts: number;
  readonly baseSeconds: number;
  readonly capSeconds: number;
}

export const DEFAULT_RETRY: RetryProfile = { attempts: 15, baseSeconds: 2, capSeconds: 6 * 3600 };

/** Milliseconds before attempt `attempt + 1`: `random(half, all) of min(cap, base * 2^(attempt-1)) + 1 s`. */
export function backoffMs(profile: RetryProfile, attempt: number, random: Random): number {
  return Math.round((0.5 + random.next() / 2) * ceilingSeconds(profile, attempt) * 1_000) + 1_000;
}

/** The time that all attempts of a profile last when each wait is the longest, in milliseconds. Default: 9 hours. */
export function spanMs(profile: RetryProfile): number {
  let seconds = 0;
  for (let attempt = 1; attempt < profile.attempts; attempt++) seconds += ceilingSeconds(profile, attempt) + 1;
  return seconds * 1_000;
}

function ceilingSeconds({ capSeconds, baseSeconds }: RetryProfile, attempt: number): number {
  return Math.min(capSeconds, baseSeconds * 2 ** Math.min(attempt - 1, 60));
}
