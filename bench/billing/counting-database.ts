import { type AttributeMap, toAttributes } from '#adapters/dynamodb/marshal.ts';
import type { Item } from '#adapters/memory/item-rules.ts';
import type { IndexQuery } from '#adapters/memory/lagging-index.ts';
import {
  MemoryDatabase,
  type MemoryDatabaseOptions,
  type TransactionOutcome,
  type WriteOutcome,
} from '#adapters/memory/memory-database.ts';
import type { RangeQuery, TableDefinition } from '#adapters/memory/memory-table.ts';
import type { EffectWrite } from '#core/ports.ts';
import type { Meter } from './counters.ts';
import { indexEntry, indexUnits, itemSize, readUnits, STORAGE_OVERHEAD_BYTES, writeUnits } from './dynamodb-units.ts';

const CALLS = { put: 'PutItem', update: 'UpdateItem', delete: 'DeleteItem', check: 'ConditionCheck' } as const;

interface Change {
  readonly table: string;
  readonly before: AttributeMap | undefined;
  readonly after: AttributeMap | undefined;
}

const marshalled = (item: Readonly<Item> | undefined): AttributeMap | undefined => item && toAttributes(item);

/** DynamoDB in memory that bills each call by the published rules, from items marshalled as the adapters do. */
export class CountingDatabase extends MemoryDatabase {
  readonly #meter: Meter;
  readonly #definitions = new Map<string, TableDefinition>();
  readonly #changes: Change[];

  constructor(options: MemoryDatabaseOptions, meter: Meter) {
    const changes: Change[] = [];
    super({
      ...options,
      onChange: change => {
        if (change.by === 'ttl') return;
        changes.push({ table: change.table, before: marshalled(change.before), after: marshalled(change.after) });
      },
    });
    this.#meter = meter;
    this.#changes = changes;
  }

  override define(definition: TableDefinition): void {
    super.define(definition);
    this.#definitions.set(definition.name, definition);
  }

  override write(write: EffectWrite): WriteOutcome {
    this.#changes.length = 0;
    const outcome = super.write(write);
    if (outcome.kind === 'refused') {
      // A refused write bills the larger of the item that is there and the one that was to be written.
      const offered = write.kind === 'put' ? marshalled(write.item) : undefined;
      this.#bill(`${CALLS[write.kind]} (refused)`, write.table, writeUnits(marshalled(outcome.item), offered), 0, 0);
      return outcome;
    }
    for (const change of this.#changes) this.#billChange(CALLS[write.kind], change, 1);
    return outcome;
  }

  override transact(writes: readonly EffectWrite[], token: string): TransactionOutcome {
    this.#changes.length = 0;
    const outcome = super.transact(writes, token);
    if (outcome.kind === 'applied') {
      for (const change of this.#changes) this.#billChange('TransactWriteItems', change, 2);
      for (const write of writes)
        if (write.kind === 'check') this.#bill('TransactWriteItems check', write.table, 2, 0, 0);
    } else {
      // What was prepared and not committed is billed too; our scripts cancel none, so the least is enough here.
      for (const write of writes) this.#bill('TransactWriteItems (canceled)', write.table, 2, 0, 0);
    }
    return outcome;
  }

  override get(table: string, key: Readonly<Item>, read: 'consistent' | 'eventual' = 'consistent'): Item | undefined {
    const item = super.get(table, key, read);
    this.#billRead('GetItem', table, itemSize(marshalled(item)), read === 'consistent');
    return item;
  }

  override query(table: string, index: string, query: IndexQuery) {
    const page = super.query(table, index, query);
    const bytes = page.items.reduce((sum, item) => sum + itemSize(marshalled(item)), 0);
    this.#billRead('Query', index, bytes, false);
    return page;
  }

  override scanIndex(table: string, index: string, limit: number) {
    const found = super.scanIndex(table, index, limit);
    const bytes = (found ?? []).reduce((sum, item) => sum + itemSize(marshalled(item)), 0);
    this.#billRead('Scan', index, bytes, false);
    return found;
  }

  override range(table: string, query: RangeQuery) {
    const page = super.range(table, query);
    const bytes = page.items.reduce((sum, item) => sum + itemSize(marshalled(item)), 0);
    this.#billRead('Query', table, bytes, query.read !== 'eventual');
    return page;
  }

  /** What the in-memory database itself charged for all of it, by rules written apart from these. */
  charged(): { readonly writes: number; readonly reads: number } {
    const usage = [...this.usage.values()];
    return {
      writes: usage.reduce((sum, it) => sum + it.writeUnits + it.indexUnits, 0),
      reads: usage.reduce((sum, it) => sum + it.readUnits, 0),
    };
  }

  /** Bytes a table holds now as storage is billed: items, entries of indexes, and the overhead of each. */
  storedBytes(table: string): number {
    const { indexes = [], partition, sort } = this.#definitionOf(table);
    const keys = sort === undefined ? [partition] : [partition, sort];
    let bytes = 0;
    for (const item of this.dump(table)) {
      const attributes = toAttributes(item);
      bytes += itemSize(attributes) + STORAGE_OVERHEAD_BYTES;
      for (const index of indexes) {
        const entry = indexEntry(index, keys, attributes);
        if (entry) bytes += itemSize(entry) + STORAGE_OVERHEAD_BYTES;
      }
    }
    return bytes;
  }

  #billChange(call: string, { table, before, after }: Change, factor: number): void {
    const { indexes = [], partition, sort } = this.#definitionOf(table);
    const keys = sort === undefined ? [partition] : [partition, sort];
    const inIndexes = indexes.reduce((sum, index) => sum + indexUnits(index, keys, before, after), 0);
    this.#bill(call, table, factor * writeUnits(before, after), factor * inIndexes, itemSize(after));
  }

  #bill(call: string, table: string, tableUnits: number, inIndexes: number, bytes: number): void {
    this.#meter.counts.writeUnits += tableUnits + inIndexes;
    this.#meter.counts.indexUnits += inIndexes;
    this.#meter.calls.push({ call, target: table, units: tableUnits + inIndexes, indexUnits: inIndexes, bytes });
  }

  #billRead(call: string, target: string, bytes: number, consistent: boolean): void {
    this.#meter.counts.readUnits += readUnits(bytes, consistent);
    this.#meter.calls.push({ call, target, units: 0, indexUnits: 0, bytes });
  }

  #definitionOf(table: string): TableDefinition {
    const definition = this.#definitions.get(table);
    if (!definition) throw new RangeError(`There is no table ${table}: define it first`);
    return definition;
  }
}
