/** What one sweeper can do, as measured: what the configuration asks of it is held against this. */

import { DEFAULT_THROTTLE } from './defaults.ts';

/** Memory of the sweeper: Lambda gives a function of this size one whole core, and one sweeper uses no more. */
export const SWEEPER_MEMORY_MB = 1_769;

/**
 * Parked events sent, or arrivals read, in a second of one core that does nothing else. Measured on 2026-11-24 on a core of
 * an AMD EPYC against an imitation of AWS, not on Lambda; `node bench/sweep/sweep-rate.ts` measures again and fails below these.
 */
export const SWEEPER_PER_CORE = { sends: 700, arrivals: 13_000 } as const;

/** Records that the nightly audit reads in a second of one such core; measured with the others. */
export const AUDITED_PER_SECOND = 29_000;
/** Runs of the audit in a night, and the longest that one may take. */
export const AUDIT_NIGHT = { runs: 12, runSeconds: 900 } as const;
/** What a night reads before the next one begins. */
export const AUDITED_A_NIGHT = AUDITED_PER_SECOND * AUDIT_NIGHT.runs * AUDIT_NIGHT.runSeconds;

/** A run begins every minute, and has this long for its work. */
export const SWEEP_RUN_SECONDS = 50;
/** Read in each second of a run: what the default throttle of a source lets through in a minute, each event twice. */
export const ARRIVALS_READ_PER_SECOND = (2 * DEFAULT_THROTTLE.rate * 60) / SWEEP_RUN_SECONDS;

/** Of parked events, in a second: what the core has left beside those arrivals, rounded down to fifties. */
export const MOST_SENDS_PER_SECOND =
  Math.floor((SWEEPER_PER_CORE.sends * (1 - ARRIVALS_READ_PER_SECOND / SWEEPER_PER_CORE.arrivals)) / 50) * 50;
