/** What several parts of one screen ask of the tables: asked once, when the first of them asks. */
import type { EventStore, TimelineEntry } from '#core/inbound/ports.ts';
import { readPauses } from '#core/inbound/protocol/pause-source.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { HOUR_MS } from '#core/time.ts';
import type { Operator } from '#operator/operator.ts';

const MOST_ENTRIES = 20_000;

/** What was received since a moment, the newest first. */
export interface Received {
  readonly entries: readonly TimelineEntry[];
  /** False: more arrived than were read. */
  readonly finished: boolean;
}

export interface SharedReads {
  /** What was received in the last hour. */
  lastHour(): Promise<Received>;
  pausesNow(): ReturnType<typeof readPauses>;
  /** Of each source the first page is read once. */
  readonly deathsPage: EventStore['attention'];
}

/** For one screen, then they are old. `most`: of more arrivals about so many, the newest. */
export async function sharedReads(operator: Operator, most?: number): Promise<SharedReads> {
  const { store, control } = await operator.gateway();
  const first = new Map<string, ReturnType<EventStore['attention']>>();
  return {
    lastHour: once(() => readReceived(operator, HOUR_MS, most)),
    pausesNow: once(() => readPauses(control)),
    deathsPage: (source, cursor) => {
      if (cursor !== undefined) return store.attention(source, cursor);
      const page = first.get(source) ?? store.attention(source);
      first.set(source, page);
      return page;
    },
  };
}

/** Of the last `ms`; of more than about `most` the newest. */
async function readReceived(operator: Operator, ms: number, most = MOST_ENTRIES): Promise<Received> {
  const { store } = await operator.gateway();
  const now = operator.clock.now();
  const window = { sources: operator.sourceIds, since: now - ms, until: now + 1 };
  const entries: TimelineEntry[] = [];
  let reader = new TimelineReader(window, 'newest', undefined, store);
  while (!reader.finished && entries.length < most) {
    const more = await reader.next(500, () => true);
    entries.push(...more);
    if (more.length < 500 && !reader.finished) reader = new TimelineReader(window, 'newest', reader.position, store);
  }
  return { entries, finished: reader.finished };
}

export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}
