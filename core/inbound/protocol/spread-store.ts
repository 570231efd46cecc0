/** The events of sources that are spread over several keys of an index (spread.ts), read as if they had one. */
import type { EpochMs, EventPk, SourceId } from '#core/glossary.ts';
import type { EventStore, EventUpdate, Page, TimelineEntry, TransactResult } from '#core/inbound/ports.ts';
import type { EffectWrite } from '#core/ports.ts';
import { type Shards, type ShardsOf, SpreadWriter, shardsIn, timelineKeys, watchKeys } from './spread.ts';

type TimelineRange = Parameters<EventStore['timeline']>[1];
type WatchEntry = { pk: EventPk; watchAt: EpochMs };
/** How many keys a source may have: what is configured, and what it once had. */
export type KnownShardsOf = (source: SourceId) => number | Promise<number>;

const DEFAULT_PAGE = 100;
/** Entries of a page that a key may have more than its even share, before another page is cut short for it. */
const SPARE = 10;

/** `written`: over how many keys writes are spread; `known`: how many are read. */
export class SpreadStore extends SpreadWriter implements EventStore {
  readonly #store: EventStore;
  readonly #known: KnownShardsOf;

  constructor(store: EventStore, written: ShardsOf, known: KnownShardsOf) {
    super(store, written);
    this.#store = store;
    this.#known = known;
  }

  transact(update: EventUpdate, effects: readonly EffectWrite[], token: string): Promise<TransactResult> {
    return this.#store.transact(this.spread(update), effects, token);
  }

  readonly readItem: EventStore['readItem'] = (table, key) => this.#store.readItem(table, key);
  readonly noted: EventStore['noted'] = keys => this.#store.noted(keys);
  readonly get: EventStore['get'] = pk => this.#store.get(pk);
  readonly getMany: EventStore['getMany'] = (pks, read) => this.#store.getMany(pks, read);
  readonly attention: EventStore['attention'] = (partition, cursor) => this.#store.attention(partition, cursor);
  readonly occupied: EventStore['occupied'] = index => this.#store.occupied(index);
  readonly scan: EventStore['scan'] = cursor => this.#store.scan(cursor);

  async timeline(hour: string, range: TimelineRange): Promise<Page<TimelineEntry>> {
    const shards = await this.#known(sourceOf(hour));
    const after = placeIn(range.cursor);
    // A page that began before the source was spread further is read on as it began.
    if (shards === 1 || (range.cursor !== undefined && after === undefined)) return this.#store.timeline(hour, range);
    const { limit = DEFAULT_PAGE, newestFirst } = range;
    const { cursor: _, ...rest } = range;
    const bounds = after === undefined ? rest : { ...rest, [newestFirst ? 'to' : 'from']: after };
    const each = { ...bounds, limit: Math.ceil(limit / shards) + SPARE };
    const keys = timelineKeys(hour, shards);
    const pages = await Promise.all(keys.map(key => this.#somePage(key, each)));
    return merged(pages, newestFirst, after);
  }

  /** A page may be empty and not the last. */
  async #somePage(key: string, range: TimelineRange): Promise<Page<TimelineEntry>> {
    let page = await this.#store.timeline(key, range);
    while (page.items.length === 0 && page.cursor !== undefined)
      page = await this.#store.timeline(key, { ...range, cursor: page.cursor });
    return page;
  }

  /** A page of each key: oldest first within a page, roughly so over all. */
  async watchDue(
    shard: string,
    range: { from?: EpochMs; before: EpochMs },
    cursor?: string,
  ): Promise<Page<WatchEntry>> {
    const source = sourceOf(shard);
    const shards = await this.#known(source);
    const keys = watchKeys(source, Number(shard.slice(source.length + 1)), shards);
    if (keys.length === 1) return this.#store.watchDue(shard, range, cursor);
    const open: readonly OpenKey[] = cursor === undefined ? keys.map(key => ({ key })) : JSON.parse(cursor);
    const pages = await Promise.all(
      open.map(async ({ key, cursor: at }) => ({ key, page: await this.#store.watchDue(key, range, at) })),
    );
    const items = pages.flatMap(({ page }) => page.items).sort((a, b) => a.watchAt - b.watchAt);
    const next = pages.flatMap(({ key, page }) => (page.cursor === undefined ? [] : [{ key, cursor: page.cursor }]));
    return next.length === 0 ? { items } : { items, cursor: JSON.stringify(next) };
  }
}

/** For those who know no other number of keys than the configured one. */
export function spreadStore(store: EventStore, shards: Shards | undefined): EventStore {
  const shardsOf = shardsIn(shards);
  return shards === undefined ? store : new SpreadStore(store, shardsOf, shardsOf);
}

interface OpenKey {
  readonly key: string;
  readonly cursor?: string;
}

function sourceOf(key: string): SourceId {
  return key.slice(0, key.indexOf('#')) as SourceId;
}

const MERGED = 'after:';

function placeIn(cursor: string | undefined): string | undefined {
  return cursor?.startsWith(MERGED) ? cursor.slice(MERGED.length) : undefined;
}

/** In order up to where the first of them ends that goes on: behind that place another key may have earlier entries. */
function merged(
  pages: readonly Page<TimelineEntry>[],
  newestFirst: boolean,
  after: string | undefined,
): Page<TimelineEntry> {
  const isBefore = (a: string, b: string): boolean => (newestFirst ? a > b : a < b);
  const ends = pages.flatMap(page => (page.cursor === undefined ? [] : (page.items.at(-1)?.timelineAt ?? [])));
  const cut = ends.reduce<string | undefined>((a, b) => (a === undefined || isBefore(b, a) ? b : a), undefined);
  const items = pages
    .flatMap(page => page.items)
    .filter(({ timelineAt }) => timelineAt !== after && (cut === undefined || !isBefore(cut, timelineAt)))
    .sort((a, b) => (isBefore(a.timelineAt, b.timelineAt) ? -1 : 1));
  return cut === undefined ? { items } : { items, cursor: MERGED + cut };
}
