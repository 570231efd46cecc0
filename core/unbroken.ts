/**
 * Since when something that runs every minute has run without a gap. What the code of before did not write down is not
 * missing for longer: then a deploy is over, one that was rolled back shows as a gap, and so does a restored table.
 */
import type { EpochMs } from './glossary.ts';
import { HOUR_MS, MINUTE_MS } from './time.ts';

/** Longer than the wait between two runs, shorter than it takes to deploy another release and this one again. */
export const GAP_MS = 5 * MINUTE_MS;
/** Longer than a deploy takes. */
export const DEPLOY_MS = HOUR_MS;

/** Since when it has run without a gap, and when its last run began. */
export interface Unbroken {
  readonly since: EpochMs;
  readonly at: EpochMs;
}

/** What a run that begins now writes down at its end. */
export function goOn(last: Unbroken | undefined, now: EpochMs): Unbroken {
  const isUnbroken = last !== undefined && last.at <= now && now - last.at <= GAP_MS;
  return { since: isUnbroken ? last.since : now, at: now };
}
