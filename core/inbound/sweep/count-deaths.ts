/** Dead letters by their records. */
import type { SourceId } from '#core/glossary.ts';
import { sideBySide } from '#core/side-by-side.ts';
import type { SweepRun } from './sweep-run.ts';

export interface Deaths {
  readonly open: number;
  /** Open ones whose messages the DLQ has not dropped for their age. */
  readonly inQueue: number;
  /** Of the oldest in the queue; meaningless where none is. */
  readonly oldestExpiresInMs: number;
  /** False: the run was over before all were counted, and there are at least these. */
  readonly complete: boolean;
}

/** Counts source by source, of those that have any, side by side, until the run is over. */
export async function countDeaths(run: SweepRun): Promise<Deaths> {
  const { ports, rules, sources, until } = run;
  const keptSince = ports.clock.now() - rules.deadQueueRetentionSeconds * 1_000;
  let open = 0;
  let inQueue = 0;
  let oldestDeadAt = Number.POSITIVE_INFINITY;
  let complete = true;
  const occupied = await run.guard(() => ports.store.occupied('attention'));
  const dead = sources.filter(source => occupied === undefined || occupied.has(source));
  await sideBySide(dead, async (source: SourceId) => {
    let cursor: string | undefined;
    do {
      const page = await ports.store.attention(source, cursor);
      open += page.items.length;
      const times = page.items.map(it => Number(it.attentionAt.slice(0, 13)));
      const kept = times.filter(at => at > keptSince);
      inQueue += kept.length;
      oldestDeadAt = Math.min(oldestDeadAt, ...kept);
      cursor = page.cursor;
    } while (cursor !== undefined && ports.clock.now() < until);
    complete &&= cursor === undefined;
  });
  return { open, inQueue, oldestExpiresInMs: oldestDeadAt - keptSince, complete };
}
