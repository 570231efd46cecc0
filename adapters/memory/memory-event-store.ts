import { missing } from '#core/condition.ts';
import { CONTROL_PREFIX, type EpochMs, type EventPk, TTL_ATTRIBUTE } from '#core/glossary.ts';
import type { EventStore, EventUpdate, Page, TimelineEntry, TransactResult, WriteResult } from '#core/inbound/ports.ts';
import { noteOnce } from '#core/inbound/protocol/activity.ts';
import { type AttentionPartition, EVENT_INDEXES, type EventItem } from '#core/inbound/protocol/event-item.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import type { EffectWrite, ItemData, ItemKey } from '#core/ports.ts';
import type { Item } from './item-rules.ts';
import type { IndexQuery } from './lagging-index.ts';
import type { MemoryDatabase, WriteOutcome } from './memory-database.ts';
import type { TableDefinition } from './memory-table.ts';

const PAGE_LIMIT = 100;
const OCCUPIED_LIMIT = 1_000;

/** The `events` table as its construct declares it. */
export function eventsTable(name: string): TableDefinition {
  return { name, partition: 'pk', indexes: Object.values(EVENT_INDEXES), ttlAttribute: TTL_ATTRIBUTE };
}

/** `EventStore` over the in-memory database. */
export class MemoryEventStore implements EventStore {
  readonly #database: MemoryDatabase;
  readonly #table: string;
  readonly note: EventStore['note'];
  readonly #scans = new Map<string, string[]>();
  #scanCount = 0;

  constructor(database: MemoryDatabase, table: string) {
    this.#database = database;
    this.#table = table;
    this.note = noteOnce(async ({ key, name, expiresAt }) => {
      const set = { [name]: true, [TTL_ATTRIBUTE]: expiresAt };
      database.write({ kind: 'update', table, key: { pk: CONTROL_PREFIX + key }, set });
    });
  }

  async insert(item: EventItem): Promise<WriteResult> {
    const write: EffectWrite = { kind: 'put', table: this.#table, item: { ...item }, condition: missing('pk') };
    const result = toWriteResult(this.#database.write(write));
    return result.kind === 'applied' ? { kind: 'applied', item } : result;
  }

  async update(update: EventUpdate): Promise<WriteResult> {
    return toWriteResult(this.#database.write(this.#toWrite(update)));
  }

  async transact(update: EventUpdate, effects: readonly EffectWrite[], token: string): Promise<TransactResult> {
    const outcome = this.#database.transact([this.#toWrite(update), ...effects], token);
    if (outcome.kind === 'applied') return { kind: 'applied' };
    if (outcome.reasons[0] === 'condition_failed') return { kind: 'refused' };
    const index = outcome.reasons.indexOf('condition_failed') - 1;
    return index >= 0 ? { kind: 'effect_refused', index } : { kind: 'conflict' };
  }

  async readItem(table: string, key: ItemKey): Promise<ItemData | undefined> {
    return this.#database.get(table, key);
  }

  async get(pk: EventPk): Promise<EventItem | undefined> {
    const item = this.#database.get(this.#table, { pk });
    return item && parseEventItem(item);
  }

  async getMany(pks: readonly EventPk[], read?: 'eventual'): Promise<readonly EventItem[]> {
    const items = [...new Set(pks)].map(pk => this.#database.get(this.#table, { pk }, read));
    return items.filter(item => item !== undefined).map(parseEventItem);
  }

  async noted(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(
      keys.flatMap(key => Object.keys(this.#database.get(this.#table, { pk: CONTROL_PREFIX + key }) ?? {})),
    );
  }

  async watchDue(
    shard: string,
    range: { from?: EpochMs; before: EpochMs },
    cursor?: string,
  ): Promise<Page<{ pk: EventPk; watchAt: EpochMs }>> {
    const { from = 0, before } = range;
    const query = { partition: shard, from, to: before - 1, newestFirst: false, limit: PAGE_LIMIT };
    return this.#page('watch', query, cursor);
  }

  async timeline(
    hour: string,
    range: { from?: string; to?: string; newestFirst: boolean; cursor?: string; limit?: number },
  ): Promise<Page<TimelineEntry>> {
    const { cursor, limit = PAGE_LIMIT, ...bounds } = range;
    return this.#page('timeline', { partition: hour, ...bounds, limit }, cursor);
  }

  async attention(partition: AttentionPartition, cursor?: string): Promise<Page<{ pk: EventPk; attentionAt: string }>> {
    return this.#page('attention', { partition, newestFirst: true, limit: PAGE_LIMIT }, cursor);
  }

  async occupied(index: 'watch' | 'attention'): Promise<ReadonlySet<string> | undefined> {
    const entries = this.#database.scanIndex(this.#table, index, OCCUPIED_LIMIT);
    return entries && new Set(entries.map(entry => String(entry[EVENT_INDEXES[index].partition])));
  }

  async scan(cursor?: string): Promise<Page<EventItem>> {
    const token = cursor ?? `scan-${++this.#scanCount}`;
    const keys = cursor === undefined ? this.#database.keys(this.#table) : (this.#scans.get(token) ?? []);
    const page = keys.slice(0, PAGE_LIMIT);
    const rest = keys.slice(PAGE_LIMIT);
    this.#scans.delete(token);
    const items = this.#database
      .scanPage(this.#table, page)
      .filter(item => !isControlItem(item))
      .map(parseEventItem);
    if (rest.length === 0) return { items };
    const next = `scan-${++this.#scanCount}`;
    this.#scans.set(next, rest);
    return { items, cursor: next };
  }

  #page<T>(index: string, query: Omit<IndexQuery, 'after'>, cursor: string | undefined): Page<T> {
    const after = cursor === undefined ? undefined : (JSON.parse(cursor) as NonNullable<IndexQuery['after']>);
    const page = this.#database.query(this.#table, index, after ? { ...query, after } : query);
    const items = page.items as T[];
    return page.after ? { items, cursor: JSON.stringify(page.after) } : { items };
  }

  #toWrite(update: EventUpdate): EffectWrite {
    const { pk, ...rest } = update;
    return { kind: 'update', table: this.#table, key: { pk }, ...rest };
  }
}

function isControlItem(item: Item): boolean {
  return String(item['pk']).startsWith(CONTROL_PREFIX);
}

function toWriteResult(outcome: WriteOutcome): WriteResult {
  return outcome.kind === 'applied'
    ? { kind: 'applied', item: parseEventItem(outcome.after ?? {}) }
    : { kind: 'refused', item: outcome.item && parseEventItem(outcome.item) };
}
