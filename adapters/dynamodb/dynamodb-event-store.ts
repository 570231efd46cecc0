import {
  type AttributeValue,
  BatchGetItemCommand,
  GetItemCommand,
  QueryCommand,
  ScanCommand,
  TransactionCanceledException,
  TransactionInProgressException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { DependencyError } from '#core/errors.ts';
import { CONTROL_PREFIX, type EpochMs, type EventPk } from '#core/glossary.ts';
import type { EventStore, EventUpdate, Page, TimelineEntry, TransactResult } from '#core/inbound/ports.ts';
import { type AttentionPartition, EVENT_INDEXES, type EventItem } from '#core/inbound/protocol/event-item.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import type { EffectWrite, ItemData, ItemKey } from '#core/ports.ts';
import { toDependencyError } from '../aws/to-dependency-error.ts';
import { type AttributeMap, fromAttributes, toAttributes } from './attribute-values.ts';
import { compileTransactWrite } from './compile-write.ts';
import { DynamoDbEventWriter } from './dynamodb-event-writer.ts';

const PAGE_LIMIT = 100;
const BATCH_GET_TRIES = 5;

/** `EventStore` on the `events` table. */
export class DynamoDbEventStore extends DynamoDbEventWriter implements EventStore {
  async transact(update: EventUpdate, effects: readonly EffectWrite[], token: string): Promise<TransactResult> {
    const { pk, ...rest } = update;
    const write: EffectWrite = { kind: 'update', table: this.table, key: { pk }, ...rest };
    const input = { TransactItems: [write, ...effects].map(compileTransactWrite), ClientRequestToken: token };
    try {
      await this.client.send(new TransactWriteItemsCommand(input));
      return { kind: 'applied' };
    } catch (error) {
      return cancellationOf(error);
    }
  }

  readItem(table: string, key: ItemKey): Promise<ItemData | undefined> {
    return this.#read<ItemData>(table, key);
  }

  async get(pk: EventPk): Promise<EventItem | undefined> {
    const item = await this.readItem(this.table, { pk });
    return item && parseEventItem(item);
  }

  async getMany(pks: readonly EventPk[]): Promise<readonly EventItem[]> {
    const found: EventItem[] = [];
    let keys: Record<string, AttributeValue>[] = [...new Set(pks)].map(pk => toAttributes({ pk }));
    for (let attempt = 1; keys.length > 0; attempt++) {
      if (attempt > BATCH_GET_TRIES) {
        throw new DependencyError('dynamodb', `BatchGetItem left ${keys.length} keys unread ${BATCH_GET_TRIES} times`);
      }
      const RequestItems = { [this.table]: { Keys: keys, ConsistentRead: true } };
      const page = await this.#call('BatchGetItem', () => this.client.send(new BatchGetItemCommand({ RequestItems })));
      found.push(...(page.Responses?.[this.table] ?? []).map(item => parseEventItem(fromAttributes(item))));
      keys = page.UnprocessedKeys?.[this.table]?.Keys ?? [];
    }
    return found;
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

  async scan(cursor?: string): Promise<Page<EventItem>> {
    const input = { TableName: this.table, ...startAt(cursor) };
    const page = await this.#call('Scan', () => this.client.send(new ScanCommand(input)));
    const items = (page.Items ?? []).map(item => parseEventItem(fromAttributes(item)));
    return { items: items.filter(item => !item.pk.startsWith(CONTROL_PREFIX)), ...cursorOf(page.LastEvaluatedKey) };
  }

  async #read<T>(table: string, key: ItemKey): Promise<T | undefined> {
    const input = { TableName: table, Key: toAttributes(key), ConsistentRead: true };
    const { Item } = await this.#call('GetItem', () => this.client.send(new GetItemCommand(input)));
    return Item && fromAttributes<T>(Item);
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
    const page = await this.#call('Query', () => this.client.send(new QueryCommand(input)));
    return { items: (page.Items ?? []).map(item => fromAttributes<T>(item)), ...cursorOf(page.LastEvaluatedKey) };
  }

  async #call<T>(call: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw toDependencyError('dynamodb', call, error);
    }
  }
}

/** Why a transaction was cancelled; the first reason belongs to the state item, the others to the effects. */
function cancellationOf(error: unknown): TransactResult {
  if (error instanceof TransactionInProgressException) return { kind: 'conflict' };
  if (!(error instanceof TransactionCanceledException))
    throw toDependencyError('dynamodb', 'TransactWriteItems', error);
  const codes = (error.CancellationReasons ?? []).map(reason => reason.Code);
  if (codes[0] === 'ConditionalCheckFailed') return { kind: 'refused' };
  const index = codes.indexOf('ConditionalCheckFailed') - 1;
  if (index >= 0) return { kind: 'effect_refused', index };
  if (codes.includes('TransactionConflict')) return { kind: 'conflict' };
  // A cancelled transaction is never applied, whatever the reason: throttling, an oversized item.
  const reasons = (error.CancellationReasons ?? []).map(({ Code, Message }) => `${Code} ${Message ?? ''}`.trim());
  throw new DependencyError('dynamodb', `TransactWriteItems cancelled: ${reasons.join('; ').slice(0, 400)}`, {
    cause: error,
    outcome: 'not_applied',
  });
}

function startAt(cursor: string | undefined): { ExclusiveStartKey?: AttributeMap } {
  return cursor === undefined ? {} : { ExclusiveStartKey: toAttributes(JSON.parse(cursor) as Record<string, unknown>) };
}

function cursorOf(key: AttributeMap | undefined): { cursor?: string } {
  return key === undefined ? {} : { cursor: JSON.stringify(fromAttributes(key)) };
}
