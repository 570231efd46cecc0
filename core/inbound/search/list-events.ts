/**
 * One page of the events a filter means, in the order they were received. Open events come from the `watch` index and the
 * latest arrivals, dead letters from `attention`, everything else from the hours of `timeline` inside the window: the table is never scanned.
 */

import { type EpochMs, type EventPk, type EventStatus, splitEventPk } from '#core/glossary.ts';
import type { ControlStore, EventStore } from '#core/inbound/ports.ts';
import { readArrivals } from '#core/inbound/protocol/arrivals.ts';
import { type AttentionPartition, closedOf, type EventItem, WATCH_SHARDS } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { FAR } from '#core/inbound/protocol/event-writes.ts';
import { everyPage } from '#core/pages.ts';
import { fromBase64, textOf, toBase64, utf8 } from '#core/scan/bytes.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { groupsOf, sideBySide } from '#core/side-by-side.ts';
import { type EventFilter, matchesFilter, matchesType } from './event-filter.ts';
import { type Order, type Position, TimelineReader } from './read-timeline.ts';

export type ListStore = Pick<EventStore, 'getMany' | 'watchDue' | 'timeline' | 'attention'>;
export interface ListPorts {
  readonly store: ListStore;
  readonly control: Pick<ControlStore, 'read'>;
}

export interface PageRequest {
  /** 1 to 500. */
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** By the time they were received. Default `newest` first. */
  readonly order?: Order;
}

export interface EventPage {
  readonly items: readonly EventItem[];
  /** There may be more: ask again with it. A page may be short, or empty, and still have one. */
  readonly cursor?: string;
  /** With a cursor: everything received after (oldest first: before) was looked at. */
  readonly lookedTo?: EpochMs;
}

export class CursorError extends Error {
  override readonly name = 'CursorError';
}

/** Index entries beyond which the timeline finds the same events sooner. */
const INDEX_LIMIT = 10_000;
const READ_AT_ONCE = 100;
const READS_IN_PARALLEL = 8;
/** Index entries asked for at once where few of them may match. */
const LARGE_BATCH = 500;
/** Where some records of a page were gone. */
const SMALL_BATCH = 20;
/** Records one page looks at before it answers with what it has. */
const EXAMINED_PER_PAGE = 500;

/** One page. Throws CursorError for a cursor that no page of this kind gave. */
export async function listEvents(filter: EventFilter, request: PageRequest, ports: ListPorts): Promise<EventPage> {
  const { order = 'newest', ...page } = request;
  return new EventSearch(filter, order, ports).page(page);
}

/**
 * A list that is read through page by page: what the indexes name is read once, with the first page, and not again with
 * each. What becomes of an event afterwards does not show.
 */
export class EventSearch {
  readonly #filter: EventFilter;
  readonly #order: Order;
  readonly #ports: ListPorts;
  #named: readonly EventItem[] | 'too many' | undefined;

  constructor(filter: EventFilter, order: Order, ports: ListPorts) {
    this.#filter = filter;
    this.#order = order;
    this.#ports = ports;
  }

  /** Throws CursorError for a cursor that no page of this kind gave. */
  async page({ limit, cursor }: Omit<PageRequest, 'order'>): Promise<EventPage> {
    const filter = this.#filter;
    const order = this.#order;
    const ports = this.#ports;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, order);
    this.#named ??= await this.#readNamed();
    if (this.#named === 'too many') return pageOfTimeline(filter, { limit, order }, after, ports.store);
    const items = this.#named.filter(
      item => after === undefined || comparePositions(positionOf(item), after, order) > 0,
    );
    return pageOf(items.slice(0, limit), positionAt(items, limit));
  }

  async #readNamed(): Promise<readonly EventItem[] | 'too many'> {
    const filter = this.#filter;
    const order = this.#order;
    const ports = this.#ports;
    const candidates = await candidatesFromIndexes(filter, ports);
    if (candidates === undefined) return 'too many';
    return (await readAll(candidates, ports.store))
      .filter(item => matchesFilter(item, filter))
      .sort((a, b) => comparePositions(positionOf(a), positionOf(b), order));
  }
}

/** The cursor of a page that ends with this event. */
export function cursorAfter(item: EventItem): string {
  return encodeCursor(positionOf(item));
}

/** Of the last item on a full page; undefined when nothing comes after it. */
function positionAt(items: readonly EventItem[], limit: number): Position | undefined {
  const last = items.length > limit ? items[limit - 1] : undefined;
  return last && positionOf(last);
}

/** The place of an event in the order of all events. */
export function positionOf(item: EventItem): Position {
  return { at: item.timelineAt, source: splitEventPk(item.pk).sourceId };
}

/** Negative when `a` comes before `b`. Within one instant sources keep their own order, so that no two are equal. */
export function comparePositions(a: Position, b: Position, order: Order): number {
  if (a.at !== b.at) return a.at < b.at === (order === 'oldest') ? -1 : 1;
  if (a.source === b.source) return 0;
  return a.source < b.source ? -1 : 1;
}

/** What the index of dead events names. */
const DEAD: readonly EventStatus[] = ['dead_letter', 'closed'];

/** Keys of all events with these statuses, or undefined where the indexes do not hold them, or hold too many. */
async function candidatesFromIndexes(filter: EventFilter, ports: ListPorts): Promise<readonly EventPk[] | undefined> {
  const { statuses, sources } = filter;
  const { store } = ports;
  if (!statuses?.every(status => DEAD.includes(status) || !isTerminal(status))) return undefined;
  const found = new Set<EventPk>();
  const open = statuses.some(status => !isTerminal(status));
  const searches = sources.flatMap(source => {
    const shards = open ? Array.from({ length: WATCH_SHARDS }, (_, shard) => `${source}#${shard}`) : [];
    return [
      ...shards.map(shard => () => collectWatched(shard, found, store)),
      ...(statuses.includes('dead_letter') ? [() => collectDead(source, filter, found, store)] : []),
      ...(statuses.includes('closed') ? [() => collectDead(closedOf(source), filter, found, store)] : []),
    ];
  });
  for (const some of groupsOf(searches, READS_IN_PARALLEL)) {
    const complete = await Promise.all(some.map(search => search()));
    if (complete.includes(false)) return undefined;
  }
  const mayBeFresh = statuses.includes('pending') || statuses.includes('processing');
  if (mayBeFresh && !(await collectFresh(filter, found, ports))) return undefined;
  return [...found];
}

/** What arrived since the sweeper last looked: a new event that has not been retried is in no other index. */
async function collectFresh(filter: EventFilter, found: Set<EventPk>, ports: ListPorts): Promise<boolean> {
  const cursors = await readArrivals(ports.control);
  const seen = filter.sources.map(source => cursors[source] ?? 0);
  const fresh = { ...filter, since: Math.max(filter.since, Math.min(...seen)) };
  let reader = new TimelineReader(fresh, 'oldest', undefined, ports.store);
  for (;;) {
    const entries = await reader.next(LARGE_BATCH, entry => matchesType(entry.eventType, filter.type));
    for (const { pk } of entries) found.add(pk);
    if (reader.finished) return true;
    if (found.size > INDEX_LIMIT) return false;
    if (entries.length === 0) reader = new TimelineReader(fresh, 'oldest', reader.position, ports.store);
  }
}

async function collectWatched(shard: string, found: Set<EventPk>, store: ListStore): Promise<boolean> {
  for await (const { items } of everyPage(cursor => store.watchDue(shard, { before: FAR + 1 }, cursor))) {
    for (const { pk } of items) found.add(pk);
    if (found.size > INDEX_LIMIT) return false;
  }
  return true;
}

async function collectDead(
  partition: AttentionPartition,
  filter: EventFilter,
  found: Set<EventPk>,
  store: ListStore,
): Promise<boolean> {
  for await (const { items } of everyPage(cursor => store.attention(partition, cursor))) {
    const { pks, isLast } = meantOf(items, filter);
    for (const pk of pks) found.add(pk);
    if (isLast) return true;
    if (found.size > INDEX_LIMIT) return false;
  }
  return true;
}

/** Of a page of the index of dead events, those that may be meant; whether the next page has none. */
function meantOf(
  entries: readonly { readonly pk: EventPk; readonly attentionAt: string }[],
  filter: EventFilter,
): { readonly pks: readonly EventPk[]; readonly isLast: boolean } {
  const read = entries.map(({ pk, attentionAt }) => {
    const [deadAt, cause] = attentionAt.split('#');
    return { pk, deadAt: Number(deadAt), cause };
  });
  // Newest deaths first: nothing received since could have died before it.
  const since = read.filter(({ deadAt }) => deadAt >= filter.since);
  const meant = since.filter(({ cause }) => filter.cause === undefined || cause === filter.cause);
  return { pks: meant.map(({ pk }) => pk), isLast: since.length < read.length };
}

/**
 * Every event of the filter that is dead, or closed, in no order between sources: a page of the index of dead events at a
 * time, however many there are. A list in the order of arrival cannot be had this way; a count, or all of them, can.
 */
export async function* eachDead(
  filter: EventFilter,
  status: 'dead_letter' | 'closed',
  store: ListStore,
): AsyncGenerator<readonly EventItem[]> {
  const meant: EventFilter = { ...filter, statuses: [status] };
  const partitions = filter.sources.map(source => (status === 'closed' ? closedOf(source) : source));
  // Most sources have none: their first looks go side by side.
  const first = await sideBySide(partitions, partition => store.attention(partition), READS_IN_PARALLEL);
  for (const [at, partition] of partitions.entries()) {
    let page = first[at];
    while (page !== undefined) {
      const { pks, isLast } = meantOf(page.items, filter);
      yield (await readAll(pks, store)).filter(item => matchesFilter(item, meant));
      page = isLast || page.cursor === undefined ? undefined : await store.attention(partition, page.cursor);
    }
  }
}

async function pageOfTimeline(
  filter: EventFilter,
  request: PageRequest & { order: Order },
  after: Position | undefined,
  store: ListStore,
): Promise<EventPage> {
  const { limit, order } = request;
  const reader = new TimelineReader(filter, order, after, store);
  const found: EventItem[] = [];
  const rare =
    filter.statuses !== undefined ||
    filter.type !== undefined ||
    filter.cause !== undefined ||
    filter.error !== undefined;
  let [examined, batch] = [0, rare ? LARGE_BATCH : Math.min(limit, READ_AT_ONCE)];
  while (found.length < limit && examined < EXAMINED_PER_PAGE) {
    const entries = await reader.next(batch, entry => matchesType(entry.eventType, filter.type));
    if (entries.length === 0) break;
    examined += entries.length;
    const items = await readAll(
      entries.map(entry => entry.pk),
      store,
    );
    const matching = items
      .filter(item => matchesFilter(item, filter))
      .sort((a, b) => comparePositions(positionOf(a), positionOf(b), order));
    found.push(...matching);
    // What matches rarely is looked for in larger steps; else what goes beyond the page would be read again with the next.
    batch = rare ? LARGE_BATCH : Math.min(LARGE_BATCH, Math.max(SMALL_BATCH, limit - found.length));
  }
  const last = positionAt(found, limit) ?? reader.position;
  return pageOf(found.slice(0, limit), reader.finished && found.length <= limit ? undefined : last);
}

function pageOf(items: readonly EventItem[], last: Position | undefined): EventPage {
  if (last === undefined) return { items };
  return { items, cursor: encodeCursor(last), lookedTo: Number(last.at.slice(0, 13)) };
}

async function readAll(pks: readonly EventPk[], store: ListStore): Promise<readonly EventItem[]> {
  const read = await sideBySide(groupsOf(pks, READ_AT_ONCE), keys => store.getMany(keys), READS_IN_PARALLEL);
  return read.flat();
}

function encodeCursor(position: Position): string {
  return toBase64(utf8(JSON.stringify(position)), 'base64url');
}

function decodeCursor(text: string, order: Order): Position {
  const bytes = fromBase64(text, 'base64url');
  const decoded = bytes && decodeJsonObject(textOf(bytes) ?? '');
  const { at, source } = decoded ?? {};
  if (typeof at === 'string' && typeof source === 'string' && /^\d{13}(?:#[\x21-\x7e]{1,256})?$/.test(at))
    return { at, source };
  throw new CursorError(
    `"${text.slice(0, 40)}" is not a cursor of this list: give the cursor of the previous page (${order} first), or none to begin again`,
  );
}
