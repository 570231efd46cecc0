/** How long to wait before the next attempt: full jitter, so that events that failed together do not return together. */

import type { Random } from '#core/ports.ts';

/** Full jitter: `random(0, min(cap, base * 2^(attempt-1))) + 1 s`. */
export interface RetryProfile {
  readonly attempts: number;
  readonly baseSeconds: number;
  readonly capSeconds: number;
}

export const DEFAULT_RETRY: RetryProfile = { attempts: 15, baseSeconds: 2, capSeconds: 6 * 3600 };

/** Milliseconds before attempt `attempt + 1`: `random(0, min(cap, base * 2^(attempt-1))) + 1 s`. */
export function backoffMs(profile: RetryProfile, attempt: number, random: Random): number {
  const ceiling = Math.min(profile.capSeconds, profile.baseSeconds * 2 ** Math.min(attempt - 1, 60));
  return Math.round(random.next() * ceiling * 1_000) + 1_000;
}
