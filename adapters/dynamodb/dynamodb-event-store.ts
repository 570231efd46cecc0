import { type DynamoDBClient, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { CONTROL_PREFIX, type EpochMs, type EventPk } from '#core/glossary.ts';
import type { EventStore, EventUpdate, Page, TimelineEntry, TransactResult } from '#core/inbound/ports.ts';
import { type AttentionPartition, EVENT_INDEXES, type EventItem } from '#core/inbound/protocol/event-item.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import type { EffectWrite, ItemData, ItemKey } from '#core/ports.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { systemTimer } from '../system.ts';
import { readItems, type Sleep } from './batches.ts';
import { compileTransactWrite } from './compile-write.ts';
import { DynamoDbEventWriter } from './dynamodb-event-writer.ts';
import { fromAttributes, toAttributes } from './marshal.ts';
import { cursorOf, getItem, startAt } from './table-calls.ts';
import { transact } from './transact.ts';

const PAGE_LIMIT = 100;
/** Entries that one look at all of an index may read: about 17 read units. */
const OCCUPIED_LIMIT = 1_000;

/** `EventStore` on the `events` table. */
export class DynamoDbEventStore extends DynamoDbEventWriter implements EventStore {
  readonly #sleep: Sleep;

  /** `sleep`: between the tries of a read that was answered in part. */
  constructor(client: DynamoDBClient, table: string, sleep: Sleep = systemTimer.sleep) {
    super(client, table);
    this.#sleep = sleep;
  }

  async transact(update: EventUpdate, effects: readonly EffectWrite[], token: string): Promise<TransactResult> {
    const { pk, ...rest } = update;
    const write: EffectWrite = { kind: 'update', table: this.table, key: { pk }, ...rest };
    const result = await transact(this.client, [write, ...effects].map(compileTransactWrite), token);
    if (result.kind !== 'refused') return result;
    // The first write is the state item's, the others are the effects.
    return result.index === 0 ? { kind: 'refused' } : { kind: 'effect_refused', index: result.index - 1 };
  }

  readItem(table: string, key: ItemKey): Promise<ItemData | undefined> {
    return getItem<ItemData>(this.client, table, key);
  }

  async get(pk: EventPk): Promise<EventItem | undefined> {
    const item = await this.readItem(this.table, { pk });
    return item && parseEventItem(item);
  }

  async getMany(pks: readonly EventPk[], read?: 'eventual'): Promise<readonly EventItem[]> {
    const places = [...new Set(pks)].map(pk => ({ table: this.table, key: { pk } }));
    const found = await readItems(this.client, places, { consistent: read !== 'eventual', sleep: this.#sleep });
    return found.map(({ item }) => parseEventItem(fromAttributes(item)));
  }

  async noted(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const places = keys.map(key => ({ table: this.table, key: { pk: CONTROL_PREFIX + key } }));
    const found = await readItems(this.client, places, { consistent: true, sleep: this.#sleep });
    return new Set(found.flatMap(({ item }) => Object.keys(item)));
  }

  watchDue(
    shard: string,
    range: { from?: EpochMs; before: EpochMs },
    cursor?: string,
  ): Promise<Page<{ pk: EventPk; watchAt: EpochMs }>> {
    const { from = 0, before } = range;
    return this.#query('watch', shard, { from, to: before - 1, newestFirst: false }, cursor);
  }

  timeline(
    hour: string,
    range: { from?: string; to?: string; newestFirst: boolean; cursor?: string; limit?: number },
  ): Promise<Page<TimelineEntry>> {
    return this.#query('timeline', hour, range, range.cursor);
  }

  attention(partition: AttentionPartition, cursor?: string): Promise<Page<{ pk: EventPk; attentionAt: string }>> {
    return this.#query('attention', partition, { newestFirst: true }, cursor);
  }

  async occupied(index: 'watch' | 'attention'): Promise<ReadonlySet<string> | undefined> {
    const { partition } = EVENT_INDEXES[index];
    const input = {
      TableName: this.table,
      IndexName: index,
      ProjectionExpression: '#p',
      ExpressionAttributeNames: { '#p': partition },
      Limit: OCCUPIED_LIMIT,
    };
    const page = await sent('dynamodb', 'Scan', () => this.client.send(new ScanCommand(input)));
    if (page.LastEvaluatedKey !== undefined) return undefined;
    return new Set((page.Items ?? []).flatMap(item => item[partition]?.S ?? []));
  }

  async scan(cursor?: string): Promise<Page<EventItem>> {
    const input = { TableName: this.table, ...startAt(cursor) };
    const page = await sent('dynamodb', 'Scan', () => this.client.send(new ScanCommand(input)));
    const items = (page.Items ?? []).map(item => parseEventItem(fromAttributes(item)));
    return { items: items.filter(item => !item.pk.startsWith(CONTROL_PREFIX)), ...cursorOf(page.LastEvaluatedKey) };
  }

  async #query<T>(
    index: keyof typeof EVENT_INDEXES,
    partitionValue: string,
    range: { from?: string | number; to?: string | number; newestFirst: boolean; limit?: number },
    cursor: string | undefined,
  ): Promise<Page<T>> {
    const { partition, sort, sortType } = EVENT_INDEXES[index];
    const from = range.from ?? (sortType === 'number' ? 0 : ' ');
    const to = range.to ?? (sortType === 'number' ? Number.MAX_SAFE_INTEGER : '\uffff');
    // DynamoDB refuses a BETWEEN whose bounds are the wrong way round.
    if (from > to) return { items: [] };
    const input = {
      TableName: this.table,
      IndexName: index,
      KeyConditionExpression: '#p = :p AND #s BETWEEN :from AND :to',
      ExpressionAttributeNames: { '#p': partition, '#s': sort },
      ExpressionAttributeValues: toAttributes({ ':p': partitionValue, ':from': from, ':to': to }),
      ScanIndexForward: !range.newestFirst,
      Limit: range.limit ?? PAGE_LIMIT,
      ...startAt(cursor),
    };
    const page = await sent('dynamodb', 'Query', () => this.client.send(new QueryCommand(input)));
    return { items: (page.Items ?? []).map(item => fromAttributes<T>(item)), ...cursorOf(page.LastEvaluatedKey) };
  }
}
