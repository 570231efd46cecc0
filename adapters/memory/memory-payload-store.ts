import { all, exists, lt, missing } from '#core/condition.ts';
import { given } from '#core/given.ts';
import { type EventPk, type SourceId, TTL_ATTRIBUTE } from '#core/glossary.ts';
import type { PayloadStore, StepStore } from '#core/inbound/ports.ts';
import {
  type DetailItem,
  type DetailKey,
  type PayloadItem,
  type RefusedItem,
  refusedPrefix,
  type StepItem,
} from '#core/inbound/protocol/event-item.ts';
import { livesTooShort } from '#core/inbound/protocol/retention.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { TableDefinition } from './memory-table.ts';

/** The `payloads` table as its construct declares it. */
export function payloadsTable(name: string): TableDefinition {
  return { name, partition: 'pk', sort: 'sk', ttlAttribute: TTL_ATTRIBUTE };
}

/** `PayloadStore` and `StepStore` over the in-memory database. */
export class MemoryPayloadStore implements PayloadStore, StepStore {
  readonly #database: MemoryDatabase;
  readonly #table: string;

  constructor(database: MemoryDatabase, table: string) {
    this.#database = database;
    this.#table = table;
  }

  async putBody(item: PayloadItem): Promise<void> {
    const put = { kind: 'put' as const, table: this.#table, item: { ...item }, condition: missing('pk') };
    const outcome = this.#database.write(put);
    if (outcome.kind === 'applied') return;
    const there = outcome.item as PayloadItem | undefined;
    if (livesTooShort(there?.expiresAt, item.expiresAt))
      await this.raiseBody(item.pk, item.sk.slice(2), item.expiresAt);
  }

  async getBody(pk: EventPk, bodySha: string): Promise<PayloadItem | undefined> {
    return this.#database.get(this.#table, { pk, sk: `B#${bodySha}` }) as PayloadItem | undefined;
  }

  async raiseBody(pk: EventPk, bodySha: string, expiresAt: number): Promise<'raised' | 'missing'> {
    const outcome = this.#database.write({
      kind: 'update',
      table: this.#table,
      key: { pk, sk: `B#${bodySha}` },
      set: { expiresAt },
      condition: all(exists('pk'), lt(TTL_ATTRIBUTE, expiresAt)),
    });
    return outcome.kind === 'refused' && outcome.item === undefined ? 'missing' : 'raised';
  }

  async putDetail(item: DetailItem): Promise<void> {
    this.#database.write({ kind: 'put', table: this.#table, item: { ...item } });
  }

  async getDetail(pk: EventPk, sk: DetailKey): Promise<DetailItem | undefined> {
    return this.#database.get(this.#table, { pk, sk }) as DetailItem | undefined;
  }

  async getStep(pk: EventPk, sk: string): Promise<StepItem | undefined> {
    return this.#database.get(this.#table, { pk, sk }) as StepItem | undefined;
  }

  async keepStep(item: StepItem): Promise<StepItem> {
    const written = this.#database.write({
      kind: 'put',
      table: this.#table,
      item: { ...item },
      condition: missing('pk'),
    });
    return written.kind === 'refused' ? (written.item as unknown as StepItem) : item;
  }

  async putRefused(item: RefusedItem): Promise<void> {
    this.#database.write({ kind: 'put', table: this.#table, item: { ...item } });
  }

  async listRefused(sourceId: SourceId, cause?: string, read?: 'eventual'): Promise<readonly RefusedItem[]> {
    const found: RefusedItem[] = [];
    let after: string | undefined;
    do {
      const from = refusedPrefix(cause);
      const range = { partition: `_refused#${sourceId}`, from, to: `${from}\uffff`, newestFirst: false, limit: 100 };
      const page = this.#database.range(this.#table, { ...range, ...given({ after, read }) });
      found.push(...(page.items as unknown as RefusedItem[]));
      after = page.after;
    } while (after !== undefined);
    return found.sort((a, b) => b.refusedAt - a.refusedAt);
  }
}
