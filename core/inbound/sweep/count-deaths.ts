/**
 * Dead letters by their records. A count reads the index of all of them, so many are counted more rarely: what it costs a
 * minute stays the same, and in between the last count is told.
 */
import { given } from '#core/given.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import { sideBySide } from '#core/side-by-side.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { SweepRun } from './sweep-run.ts';
import type { Deaths } from './sweeper-record.ts';

/** A count of as many, each minute, is about seventy read units. Twice as many are counted every second minute. */
const COUNTED_A_MINUTE = 5_000;
const LONGEST_MS = HOUR_MS;

/** The last count while it holds, else a new one: source by source, of those that have any, until the run is over. */
export async function countDeaths(run: SweepRun): Promise<Deaths> {
  const { ports, sources } = run;
  const occupied = await run.guard(() => ports.store.occupied('attention'));
  if (occupied !== undefined)
    return countOf(
      sources.filter(source => occupied.has(source)),
      run,
    );
  const last = run.record?.deaths;
  return last !== undefined && run.now < last.at + holdsFor(last, run) ? last : countOf(sources, run);
}

/** Not past the moment at which the oldest message leaves the queue: who is told of the next one would be told late. */
function holdsFor({ at, open, oldestDeadAt }: Deaths, run: SweepRun): number {
  const expiresAt = (oldestDeadAt ?? Number.POSITIVE_INFINITY) + retentionMs(run);
  // Less half a minute: runs begin some seconds early or late.
  const turns = Math.ceil(open / COUNTED_A_MINUTE) * MINUTE_MS - MINUTE_MS / 2;
  return Math.min(turns, LONGEST_MS, expiresAt - at);
}

function retentionMs({ rules }: SweepRun): number {
  return rules.deadQueueRetentionSeconds * 1_000;
}

async function countOf(sources: readonly SourceId[], run: SweepRun): Promise<Deaths> {
  const { ports, until } = run;
  const now = ports.clock.now();
  const keptSince = now - retentionMs(run);
  let open = 0;
  let inQueue = 0;
  let oldest: EpochMs | undefined;
  let complete = true;
  await sideBySide(sources, async (source: SourceId) => {
    let cursor: string | undefined;
    do {
      const page = await ports.store.attention(source, cursor);
      open += page.items.length;
      const times = page.items.map(it => Number(it.attentionAt.slice(0, 13)));
      const kept = times.filter(at => at > keptSince);
      inQueue += kept.length;
      for (const at of kept) oldest = Math.min(oldest ?? at, at);
      cursor = page.cursor;
    } while (cursor !== undefined && ports.clock.now() < until);
    complete &&= cursor === undefined;
  });
  const lastWhole = complete ? undefined : wholeOf(run.record?.deaths);
  return { at: now, open, inQueue, complete, ...given({ oldestDeadAt: oldest, lastWhole }) };
}

function wholeOf(last: Deaths | undefined): number | undefined {
  return last?.complete ? last.open : last?.lastWhole;
}

/** What the metric says: of a count that was cut off no less than the last whole one, or the letters would seem to become fewer. */
export function openDeaths({ open, lastWhole = 0 }: Deaths): number {
  return Math.max(open, lastWhole);
}
