import type { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import type { SearchStore } from '#core/inbound/ports.ts';
import type { SearchItem } from '#core/inbound/protocol/event-item.ts';

/** `SearchStore` over the in-memory database. */
export class MemorySearchStore implements SearchStore {
  readonly #database: MemoryDatabase;
  readonly #table: string;

  constructor(database: MemoryDatabase, table: string) {
    this.#database = database;
    this.#table = table;
  }

  async put(item: SearchItem): Promise<void> {
    this.#database.write({ kind: 'put', table: this.#table, item: { ...item } });
  }

  async find(pk: SearchItem['pk'], range: Parameters<SearchStore['find']>[1]): Promise<readonly SearchItem[]> {
    const { from, before, limit } = range;
    const wanted = { partition: pk, from, to: before, newestFirst: true, limit: limit + 1 };
    const { items } = this.#database.range(this.#table, wanted);
    return (items as unknown as SearchItem[]).filter(({ sk }) => sk < before).slice(0, limit);
  }
}
