/** Whether the sweeper works, in words: by when a run of it last ended well. That one began says nothing. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import { LEASE_CONTROL, readSweeper, type SweeperRecord } from '#core/inbound/sweep/sweeper-record.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { ago, span } from '#operator/span.ts';

/** It comes every minute; three are given to it. */
const LATE_MS = 3 * MINUTE_MS;
/** Longer than a run takes. */
const RUN_MS = MINUTE_MS;
/** An error is of interest beside runs that end well for this long. */
const ERROR_SHOWN_MS = HOUR_MS;

export interface SweeperView extends SweeperRecord {
  /** By then the last run that began is over. Absent: none ever began. */
  readonly leasedUntil?: EpochMs;
  /** When the gateway was last deployed. Absent: nobody says. */
  readonly deployedAt?: EpochMs;
}

export async function readSweeperView(
  control: Pick<ControlStore, 'read'>,
  deployedAt: EpochMs | undefined,
  sweeperRecord = (): Promise<SweeperRecord> => readSweeper(control),
): Promise<SweeperView> {
  const [record, lease] = await Promise.all([sweeperRecord(), control.read(LEASE_CONTROL)]);
  return { ...record, ...(lease === undefined ? {} : { leasedUntil: Number(lease.value) }), ...given({ deployedAt }) };
}

/**
 * True when no run has ended well for three minutes. One that was deployed just now has not been waited for, unless a run
 * of it has failed already.
 */
export function isSweeperLate(view: SweeperView, now: EpochMs): boolean {
  const { wellAt, deployedAt = 0, error } = view;
  if (wellAt === undefined && error !== undefined) return true;
  return now - (wellAt ?? deployedAt) > LATE_MS;
}

/** One line: when a run last ended well, and what its last error was. */
export function describeSweeper(view: SweeperView, now: EpochMs): string {
  const { wellAt, error } = view;
  if (isSweeperLate(view, now)) {
    const since = wellAt === undefined ? 'ever ended well' : `ended well for ${span((now - wellAt) / 1_000)}`;
    return `no run of the sweeper has ${since}; ${whyNot(view, now)}`;
  }
  if (wellAt === undefined) return 'no run has ended yet (it comes every minute)';
  const well = `a run ended well ${ago(wellAt, now)}`;
  if (error === undefined || now - error.at > ERROR_SHOWN_MS) return well;
  return `${well}; last error ${ago(error.at, now)}: ${error.text}`;
}

/** Of a sweeper that is late: it fails, it is ended from outside before it can say so, or it does not begin. */
function whyNot({ wellAt = 0, leasedUntil, error }: SweeperView, now: EpochMs): string {
  if (error !== undefined && error.at > wellAt) return `it last failed ${ago(error.at, now)}: ${error.text}`;
  if (leasedUntil === undefined) return 'none ever began';
  // A run that ended well had its lease for less than this.
  if (leasedUntil > wellAt + RUN_MS)
    return 'runs begin and do not end: see its log for a time limit or a lack of memory';
  return `none has begun since`;
}
