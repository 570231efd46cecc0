/** The tables of a test run: DynamoDB's rules in memory, and a store that notes what was committed with an event. */
import type { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { DependencyError } from '#core/errors.ts';
import type { EventUpdate, TransactResult } from '#core/inbound/ports.ts';
import type { EffectWrite } from '#core/ports.ts';

/** A table that your handler writes to. */
export interface TestTable {
  /** Name of the partition key. */
  readonly key: string;
  /** Name of the sort key, if the table has one. */
  readonly sort?: string;
  /** Its items before the run. @default none */
  readonly items?: readonly Readonly<Record<string, unknown>>[];
}

export class TestTables extends MemoryEventStore {
  /** Writes that were committed, in order. */
  readonly effects: EffectWrite[] = [];
  /** Why DynamoDB would never take what the handler gave to transact(). */
  malformed: TypeError | undefined;
  readonly #database: MemoryDatabase;
  readonly #names = new Set<string>();

  constructor(database: MemoryDatabase, eventsTable: string, tables: Readonly<Record<string, TestTable>>) {
    super(database, eventsTable);
    this.#database = database;
    for (const [name, { key, sort, items = [] }] of Object.entries(tables)) {
      this.#define(name, key, sort, items[0] ?? {});
      for (const item of items) database.write({ kind: 'put', table: name, item });
    }
  }

  override async transact(
    update: EventUpdate,
    effects: readonly EffectWrite[],
    token: string,
  ): Promise<TransactResult> {
    try {
      for (const effect of effects) this.#defineFrom(effect);
      const result = await super.transact(update, effects, token);
      if (result.kind === 'applied') this.effects.push(...effects);
      return result;
    } catch (error) {
      if (error instanceof TypeError) this.malformed = error;
      else if (error instanceof DependencyError) {
        const message = `DynamoDB would refuse what the handler gave to transact(): ${error.message}`;
        this.malformed = new TypeError(message, { cause: error });
      }
      throw error;
    }
  }

  /** What is in the tables now, by name. */
  contents(): Record<string, Readonly<Record<string, unknown>>[]> {
    return Object.fromEntries([...this.#names].map(name => [name, this.#database.dump(name)]));
  }

  #defineFrom(effect: EffectWrite): void {
    if (this.#names.has(effect.table)) return;
    if (effect.kind === 'put') {
      throw new TypeError(
        `The handler puts an item into "${effect.table}": name its key in tables: { '${effect.table}': { key: '…' } }`,
      );
    }
    const [key = '', sort] = Object.keys(effect.key);
    this.#define(effect.table, key, sort, effect.key);
  }

  #define(name: string, key: string, sort: string | undefined, example: Readonly<Record<string, unknown>>): void {
    const typeOf = (attribute: string) => (typeof example[attribute] === 'number' ? 'number' : 'string');
    this.#database.define({
      name,
      partition: key,
      partitionType: typeOf(key),
      ...(sort === undefined ? {} : { sort, sortType: typeOf(sort) }),
    });
    this.#names.add(name);
  }
}
