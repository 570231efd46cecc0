/**
 * The `timeline` index of several sources as one list in the order of arrival: hour by hour, the sources of each hour
 * merged. Empty hours are asked for in growing groups, so that a quiet month costs little more than a busy day.
 */

import { given } from '#core/given.ts';
import { type EpochMs, type SourceId, splitEventPk } from '#core/glossary.ts';
import type { EventStore, TimelineEntry } from '#core/inbound/ports.ts';
import { HOUR_MS, toHour, toStamp } from '#core/time.ts';
import type { EventFilter } from './event-filter.ts';

export type Order = 'newest' | 'oldest';
/** A place in the order of all events: a timeline sort key and a source. */
export interface Position {
  readonly at: string;
  readonly source: string;
}

const QUERIES_AT_ONCE = 32;
/** Queries and entries one reader spends before it stops where it is. */
const QUERY_BUDGET = 64;
const ENTRY_BUDGET = 2_500;
const PAGE = 500;

interface Stream {
  readonly source: SourceId;
  /** Of the index: the source and the hour. */
  readonly partition: string;
  entries: readonly TimelineEntry[];
  at: number;
  cursor: string | undefined;
}

export class TimelineReader {
  readonly #filter: Pick<EventFilter, 'sources' | 'since' | 'until'>;
  readonly #order: Order;
  readonly #after: Position | undefined;
  readonly #store: Pick<EventStore, 'timeline'>;
  readonly #hours: readonly EpochMs[];
  #nextHour = 0;
  #group = 1;
  /** Hours that were asked for and are not read through. */
  #open: { readonly hour: EpochMs; readonly streams: readonly Stream[] }[] = [];
  readonly #bounds: { readonly from: string; readonly to: string };
  #queries = 0;
  #seen = 0;
  /** Everything up to here was read. */
  position: Position | undefined;

  constructor(
    filter: Pick<EventFilter, 'sources' | 'since' | 'until'>,
    order: Order,
    after: Position | undefined,
    store: Pick<EventStore, 'timeline'>,
  ) {
    this.#filter = filter;
    this.#order = order;
    this.#after = after;
    this.position = after;
    this.#store = store;
    this.#hours = hoursOf(filter, order, after);
    this.#bounds = boundsOf(filter, order, after);
  }

  /** True once nothing is left. False also where the budget ended first: a new reader goes on from `position`. */
  get finished(): boolean {
    return this.#nextHour >= this.#hours.length && this.#open.length === 0;
  }

  /** The next entries that `wanted` accepts, up to `limit`; fewer only at the end, or where the budget is spent. */
  async next(limit: number, wanted: (entry: TimelineEntry) => boolean): Promise<readonly TimelineEntry[]> {
    const found: TimelineEntry[] = [];
    while (found.length < limit && !this.finished) {
      const first = this.#open[0];
      if (first === undefined) {
        if (this.#queries >= QUERY_BUDGET) break;
        await this.#openHours(limit);
        continue;
      }
      const stream = await this.#headOf(first.streams);
      if (stream === undefined) {
        this.#open.shift();
        this.position = this.#edgeOf(first.hour);
        continue;
      }
      if (this.#seen >= ENTRY_BUDGET) break;
      const entry = stream.entries[stream.at++] as TimelineEntry;
      this.#seen += 1;
      this.position = { at: entry.timelineAt, source: stream.source };
      if (wanted(entry)) found.push(entry);
    }
    return found;
  }

  async #openHours(limit: number): Promise<void> {
    const { sources } = this.#filter;
    const size = Math.max(1, Math.min(this.#group, Math.floor(QUERIES_AT_ONCE / Math.max(1, sources.length))));
    const hours = this.#hours.slice(this.#nextHour, this.#nextHour + size);
    this.#nextHour += hours.length;
    this.#group *= 2;
    this.#open = await Promise.all(
      hours.map(async hour => {
        const name = toHour(hour);
        const ask = (source: SourceId) => this.#ask(source, `${source}#${name}`, Math.min(PAGE, Math.max(limit, 25)));
        return { hour, streams: await Promise.all(sources.map(ask)) };
      }),
    );
  }

  async #ask(source: SourceId, partition: string, limit: number, cursor?: string): Promise<Stream> {
    this.#queries += 1;
    const page = await this.#store.timeline(partition, {
      ...this.#bounds,
      newestFirst: this.#order === 'newest',
      limit,
      ...given({ cursor }),
    });
    const entries = page.items.filter(entry => this.#isAfter(entry));
    return { source, partition, entries, at: 0, cursor: page.cursor };
  }

  #isAfter({ pk, timelineAt }: TimelineEntry): boolean {
    if (this.#after === undefined || timelineAt !== this.#after.at) return true;
    return splitEventPk(pk).sourceId > this.#after.source;
  }

  /** The stream whose head comes next, or undefined when the hour is read through. */
  async #headOf(streams: readonly Stream[]): Promise<Stream | undefined> {
    let best: Stream | undefined;
    for (const stream of streams) {
      while (stream.at >= stream.entries.length && stream.cursor !== undefined) {
        const more = await this.#ask(stream.source, stream.partition, PAGE, stream.cursor);
        Object.assign(stream, { entries: more.entries, at: 0, cursor: more.cursor });
      }
      const head = stream.entries[stream.at];
      if (head === undefined) continue;
      const other = best?.entries[best.at];
      if (best === undefined || other === undefined || this.#comesFirst(head, stream, other, best)) best = stream;
    }
    return best;
  }

  #comesFirst(head: TimelineEntry, stream: Stream, other: TimelineEntry, best: Stream): boolean {
    if (head.timelineAt === other.timelineAt) return stream.source < best.source;
    return head.timelineAt < other.timelineAt === (this.#order === 'oldest');
  }

  /** The position behind everything of an hour. */
  #edgeOf(hour: EpochMs): Position {
    return { at: toStamp(this.#order === 'newest' ? hour : hour + HOUR_MS), source: '' };
  }
}

function boundsOf(
  { since, until }: Pick<EventFilter, 'since' | 'until'>,
  order: Order,
  after: Position | undefined,
): { readonly from: string; readonly to: string } {
  const [from, to] = [toStamp(since), toStamp(until)];
  if (after === undefined) return { from, to };
  const { at } = after;
  return order === 'newest' ? { from, to: at < to ? at : to } : { from: at > from ? at : from, to };
}

function hoursOf(
  { since, until }: Pick<EventFilter, 'since' | 'until'>,
  order: Order,
  after: Position | undefined,
): readonly EpochMs[] {
  const reached = after === undefined ? undefined : Number(after.at.slice(0, 13));
  // The edge of an hour has no event in its key: that hour was read through.
  const behind = after !== undefined && order === 'newest' && !after.at.includes('#') ? 1 : 0;
  const newest = order === 'newest' ? Math.min(until - 1, (reached ?? until) - behind) : until - 1;
  const oldest = order === 'oldest' ? Math.max(since, reached ?? since) : since;
  const hours: EpochMs[] = [];
  for (let hour = newest - (newest % HOUR_MS); hour > oldest - HOUR_MS; hour -= HOUR_MS) hours.push(hour);
  return order === 'newest' ? hours : hours.reverse();
}
