import type { IndexQuery } from '#adapters/memory/lagging-index.ts';
import type { MemoryDatabase, WriteOutcome } from '#adapters/memory/memory-database.ts';
import type { TableDefinition } from '#adapters/memory/memory-table.ts';
import { given } from '#core/given.ts';
import { TTL_ATTRIBUTE } from '#core/glossary.ts';
import type {
  Item,
  ItemPage,
  ItemPut,
  ItemResult,
  ItemStore,
  ItemsOf,
  ItemsTransactResult,
  ItemUpdate,
  ItemWrite,
  KeyRange,
  OutboundTable,
  Placed,
  TableKey,
} from '#core/outbound/ports.ts';
import { LISTED, OUTBOUND_TABLES } from '#core/outbound/protocol/keys.ts';
import { parseFound, parseItem } from '#core/outbound/protocol/parse-item.ts';
import type { EffectWrite } from '#core/ports.ts';

const PAGE_LIMIT = 100;

/** An outbound table as its construct declares it. */
export function outboundTable(table: OutboundTable, name: string = table): TableDefinition {
  return {
    name,
    partition: 'pk',
    sort: 'sk',
    indexes: [{ ...LISTED, sortType: 'string', project: OUTBOUND_TABLES[table].project }],
    ttlAttribute: TTL_ATTRIBUTE,
    crowded: true,
  };
}

/** `ItemStore` over the in-memory database, whose tables have the names given. */
export class MemoryItemStore implements ItemStore {
  readonly #database: MemoryDatabase;
  readonly #names: Readonly<Record<OutboundTable, string>>;

  constructor(
    database: MemoryDatabase,
    names: Readonly<Record<OutboundTable, string>> = { registry: 'registry', outbox: 'outbox' },
  ) {
    this.#database = database;
    this.#names = names;
  }

  async put<T>(write: ItemPut<T>): Promise<ItemResult<T>> {
    return toResult(write.key.table, this.#database.write(this.#toWrite(write)));
  }

  async putMany(table: OutboundTable, items: readonly Placed<Item>[]): Promise<void> {
    for (const item of items) this.#database.write({ kind: 'put', table: this.#names[table], item });
  }

  async update<T>(write: ItemUpdate<T>): Promise<ItemResult<T>> {
    return toResult(write.key.table, this.#database.write(this.#toWrite(write)));
  }

  async delete(key: TableKey): Promise<void> {
    this.#database.write(this.#toWrite({ kind: 'delete', key }));
  }

  async get<T>({ table, pk, sk }: TableKey<T>, read: 'consistent' | 'eventual'): Promise<T | undefined> {
    return parseFound<T>(table, this.#database.get(this.#names[table], { pk, sk }, read));
  }

  async getMany<const Keys extends readonly TableKey[]>(
    keys: Keys,
    read: 'consistent' | 'eventual' = 'consistent',
  ): Promise<ItemsOf<Keys>> {
    return (await Promise.all(keys.map(key => this.get(key, read)))) as unknown as ItemsOf<Keys>;
  }

  async query<T>(range: KeyRange<T>): Promise<ItemPage<Placed<T>>> {
    const { table, partition, index, newestFirst = false, limit = PAGE_LIMIT, cursor, read } = range;
    const bounds = { partition, newestFirst, limit, ...given({ from: range.from, to: range.to }) };
    if (range.from !== undefined && range.to !== undefined && range.from > range.to) return { items: [] };
    if (index === undefined) {
      const after = cursor === undefined ? {} : { after: cursor };
      const page = this.#database.range(this.#names[table], { ...bounds, ...after, ...given({ read }) });
      const items = page.items.map(item => parseItem<Placed<T>>(table, item));
      return { items, ...given({ cursor: page.after }) };
    }
    const after = cursor === undefined ? {} : { after: JSON.parse(cursor) as NonNullable<IndexQuery['after']> };
    const page = this.#database.query(this.#names[table], LISTED.name, { ...bounds, ...after });
    return { items: page.items as Placed<T>[], ...(page.after ? { cursor: JSON.stringify(page.after) } : {}) };
  }

  /** Segments by a hash of the key, in the order of the keys; the cursor is the last key seen. */
  async scan(
    table: OutboundTable,
    { segment, of, cursor }: { segment: number; of: number; cursor?: string },
  ): Promise<ItemPage<Placed<Item>>> {
    const name = this.#names[table];
    const keys = this.#database.keys(name).filter(key => hash(key) % of === segment && key > (cursor ?? ''));
    const page = keys.slice(0, PAGE_LIMIT);
    const items = this.#database.scanPage(name, page) as Placed<Item>[];
    return { items, ...(keys.length > PAGE_LIMIT ? { cursor: page.at(-1) as string } : {}) };
  }

  async transact(writes: readonly ItemWrite[], token: string): Promise<ItemsTransactResult> {
    const outcome = this.#database.transact(
      writes.map(write => this.#toWrite(write)),
      token,
    );
    if (outcome.kind === 'applied') return { kind: 'applied' };
    const index = outcome.reasons.indexOf('condition_failed');
    return index >= 0 ? { kind: 'refused', index } : { kind: 'conflict' };
  }

  #toWrite(write: ItemWrite): EffectWrite {
    const { pk, sk } = write.key;
    const { key: _, ...rest } = write;
    const table = this.#names[write.key.table];
    if (write.kind === 'put') return { ...rest, table, item: { ...write.item, pk, sk } } as EffectWrite;
    return { ...rest, table, key: { pk, sk } } as EffectWrite;
  }
}

function toResult<T>(table: OutboundTable, outcome: WriteOutcome): ItemResult<T> {
  return outcome.kind === 'applied'
    ? { kind: 'applied', item: parseItem<T>(table, outcome.after ?? {}) }
    : { kind: 'refused', item: parseFound<T>(table, outcome.item) };
}

function hash(text: string): number {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = (value * 31 + text.charCodeAt(at)) | 0;
  return value >>> 0;
}
