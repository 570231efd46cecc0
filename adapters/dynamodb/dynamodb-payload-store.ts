import { type DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { all, exists, lt, missing } from '#core/condition.ts';
import { DependencyError } from '#core/errors.ts';
import { type EventPk, type SourceId, TTL_ATTRIBUTE } from '#core/glossary.ts';
import type { PayloadStore } from '#core/inbound/ports.ts';
import type { DetailItem, DetailKey, PayloadItem, RefusedItem } from '#core/inbound/protocol/event-item.ts';
import { livesTooShort } from '#core/inbound/protocol/retention.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { compilePut, compileUpdate } from './compile-write.ts';
import { listRefused } from './list-refused.ts';
import { fromAttributes, toAttributes } from './marshal.ts';
import { refusedItem } from './table-calls.ts';

/** `PayloadStore` on the `payloads` table. */
export class DynamoDbPayloadStore implements PayloadStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async putBody(item: PayloadItem): Promise<void> {
    const put = compilePut(this.#table, { ...item }, missing('pk'));
    try {
      await this.#client.send(new PutItemCommand({ ...put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }));
      return;
    } catch (error) {
      const there = refusedItem<PayloadItem>('PutItem', error);
      if (!livesTooShort(there?.expiresAt, item.expiresAt)) return;
    }
    // The same body is there. Only its lifetime may change: the headers that came with it first are the ones to keep.
    const sha = item.sk.slice('B#'.length);
    if ((await this.raiseBody(item.pk, sha, item.expiresAt)) === 'missing') {
      throw new DependencyError('dynamodb', 'the body expired while it was put', { outcome: 'not_applied' });
    }
  }

  getBody(pk: EventPk, bodySha: string): Promise<PayloadItem | undefined> {
    return this.#read<PayloadItem>(pk, `B#${bodySha}`);
  }

  async raiseBody(pk: EventPk, bodySha: string, expiresAt: number): Promise<'raised' | 'missing'> {
    const condition = all(exists('pk'), lt(TTL_ATTRIBUTE, expiresAt));
    const update = compileUpdate(this.#table, { pk, sk: `B#${bodySha}` }, { set: { expiresAt } }, condition);
    try {
      await this.#client.send(new UpdateItemCommand({ ...update, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }));
      return 'raised';
    } catch (error) {
      return refusedItem('UpdateItem', error) === undefined ? 'missing' : 'raised';
    }
  }

  putDetail(item: DetailItem): Promise<void> {
    return this.#put({ ...item });
  }

  getDetail(pk: EventPk, sk: DetailKey): Promise<DetailItem | undefined> {
    return this.#read<DetailItem>(pk, sk);
  }

  putRefused(item: RefusedItem): Promise<void> {
    return this.#put({ ...item });
  }

  listRefused(sourceId: SourceId, cause?: string, read?: 'eventual'): Promise<readonly RefusedItem[]> {
    return listRefused(this.#client, this.#table, sourceId, cause, read);
  }

  async #put(item: Readonly<Record<string, unknown>>): Promise<void> {
    const put = compilePut(this.#table, item);
    await sent('dynamodb', 'PutItem', () => this.#client.send(new PutItemCommand(put)));
  }

  async #read<T>(pk: string, sk: string): Promise<T | undefined> {
    const input = { TableName: this.#table, Key: toAttributes({ pk, sk }), ConsistentRead: true };
    const { Item } = await sent('dynamodb', 'GetItem', () => this.#client.send(new GetItemCommand(input)));
    return Item && fromAttributes<T>(Item);
  }
}
