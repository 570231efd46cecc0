/** Dead letters by their records. */
import type { SweepRun } from './sweep-run.ts';

export interface Deaths {
  readonly open: number;
  /** Open ones whose messages the DLQ has not dropped for their age. */
  readonly inQueue: number;
  /** Of the oldest in the queue; meaningless where none is. */
  readonly oldestExpiresInMs: number;
}

export async function countDeaths({ ports, rules, sources, until }: SweepRun): Promise<Deaths> {
  const keptSince = ports.clock.now() - rules.deadQueueRetentionSeconds * 1_000;
  let open = 0;
  let inQueue = 0;
  let oldestDeadAt = Number.POSITIVE_INFINITY;
  for (const source of sources) {
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
  }
  return { open, inQueue, oldestExpiresInMs: oldestDeadAt - keptSince };
}
