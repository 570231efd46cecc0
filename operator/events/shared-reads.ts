/** What several parts of one screen ask of the tables: asked once, when the first of them asks. */
import type { EpochMs } from '#core/glossary.ts';
import type { EventStore, TimelineEntry } from '#core/inbound/ports.ts';
import { readPauses } from '#core/inbound/protocol/pause-source.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { HOUR_MS } from '#core/time.ts';
import type { Operator } from '#operator/operator.ts';

/** Of an hour; of one that is busier the newest alone. */
const MOST_ENTRIES = 2_000;
/** After so many it shows how busy it is. */
const FIRST_ENTRIES = 1_000;
const PAGE = 500;

/** What was received since a moment. */
export interface Received {
  /** The newest first; all since `wholeSince`. */
  readonly entries: readonly TimelineEntry[];
  readonly wholeSince: EpochMs;
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

/** For one screen, then they are old. */
export async function sharedReads(operator: Operator): Promise<SharedReads> {
  const { store, control } = await operator.gateway();
  const first = new Map<string, ReturnType<EventStore['attention']>>();
  return {
    lastHour: once(() => readReceived(operator)),
    pausesNow: once(() => readPauses(control)),
    deathsPage: (source, cursor) => {
      if (cursor !== undefined) return store.attention(source, cursor);
      const page = first.get(source) ?? store.attention(source);
      first.set(source, page);
      return page;
    },
  };
}

/** Of the last hour. A screen that is open asks again and again: of a very busy hour it reads the newest alone. */
async function readReceived(operator: Operator): Promise<Received> {
  const { store } = await operator.gateway();
  const now = operator.clock.now();
  const since = now - HOUR_MS;
  const window = { sources: operator.sourceIds, since, until: now + 1 };
  // The reader asks each source for as many.
  const page = Math.min(PAGE, Math.ceil(FIRST_ENTRIES / Math.max(1, operator.sourceIds.length)));
  const entries: TimelineEntry[] = [];
  let reader = new TimelineReader(window, 'newest', undefined, store);
  while (!reader.finished) {
    const more = await reader.next(page, () => true);
    entries.push(...more);
    if (more.length < page && !reader.finished) reader = new TimelineReader(window, 'newest', reader.position, store);
    const oldest = entries.at(-1);
    if (reader.finished || oldest === undefined || entries.length < FIRST_ENTRIES - page) continue;
    const inAll = entries.length * (HOUR_MS / Math.max(1, now - timeOf(oldest)));
    // Of its millisecond some may be left.
    if (inAll > MOST_ENTRIES) return { entries, wholeSince: timeOf(oldest) + 1, finished: false };
  }
  return { entries, wholeSince: since, finished: true };
}

export const timeOf = ({ timelineAt }: TimelineEntry): EpochMs => Number(timelineAt.slice(0, 13));

export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}
