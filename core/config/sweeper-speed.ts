/** What one sweeper can do, as measured: what the configuration asks of it is held against this. */

import { DEFAULT_THROTTLE } from './defaults.ts';

/** Memory of the sweeper: Lambda gives a function of this size one whole core, and one sweeper uses no more. */
export const SWEEPER_MEMORY_MB = 1_769;

/**
 * Parked events sent, or arrivals read, in a second of one core that does nothing else. Measured on 2026-11-23 on a core of
 * an AMD EPYC against an imitation of AWS, not on Lambda; `node bench/sweep-rate.ts` measures again and fails below these.
 */
export const SWEEPER_PER_CORE = { sends: 700, arrivals: 14_000 } as const;

/** A run begins every minute, and has this long for its work. */
export const SWEEP_RUN_SECONDS = 50;
/** Read in each second of a run: what the default throttle of a source lets through in a minute, each event twice. */
export const ARRIVALS_READ_PER_SECOND = (2 * DEFAULT_THROTTLE.rate * 60) / SWEEP_RUN_SECONDS;

/** The highest `sweepSendsPerSecond`: what the core has left beside those arrivals, rounded down to fifties. */
export const MOST_SENDS_PER_SECOND =
  Math.floor((SWEEPER_PER_CORE.sends * (1 - ARRIVALS_READ_PER_SECOND / SWEEPER_PER_CORE.arrivals)) / 50) * 50;
