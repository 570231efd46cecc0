import type { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eq, missing } from '#core/condition.ts';
import type { ControlStore } from '#core/inbound/ports.ts';

/**
 * `ControlStore` in the in-memory `events` table. Control items sit under keys no source can have (`_control#<name>`),
 * and are listed through the `timeline` index, hour `_control`: a list lags, a read does not.
 */
export class MemoryControlStore implements ControlStore {
  readonly #database: MemoryDatabase;
  readonly #table: string;

  constructor(database: MemoryDatabase, table: string) {
    this.#database = database;
    this.#table = table;
  }

  async read(name: string): Promise<{ value: string; version: number } | undefined> {
    const item = this.#database.get(this.#table, { pk: `_control#${name}` });
    return item && { value: item['value'] as string, version: item['version'] as number };
  }

  async write(name: string, value: string, expectedVersion: number): Promise<boolean> {
    const outcome = this.#database.write({
      kind: 'put',
      table: this.#table,
      item: {
        pk: `_control#${name}`,
        value,
        version: expectedVersion + 1,
        timelineHour: '_control',
        timelineAt: name,
      },
      condition: expectedVersion === 0 ? missing('pk') : eq('version', expectedVersion),
    });
    return outcome.kind === 'applied';
  }

  async list(prefix: string): Promise<readonly string[]> {
    const names: string[] = [];
    const query = { partition: '_control', from: prefix, to: `${prefix}\uffff`, newestFirst: false, limit: 1_000 };
    let page = this.#database.query(this.#table, 'timeline', query);
    for (;;) {
      names.push(...page.items.map(item => item['timelineAt'] as string));
      if (!page.after) return names;
      page = this.#database.query(this.#table, 'timeline', { ...query, after: page.after });
    }
  }
}
