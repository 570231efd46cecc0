import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { all, exists, lt, missing } from '#core/condition.ts';
import { DependencyError } from '#core/errors.ts';
import { type EventPk, type SourceId, TTL_ATTRIBUTE } from '#core/glossary.ts';
import type { PayloadStore } from '#core/inbound/ports.ts';
import {
  type DetailItem,
  type DetailKey,
  type PayloadItem,
  type RefusedItem,
  refusedPrefix,
} from '#core/inbound/protocol/event-item.ts';
import { livesTooShort } from '#core/inbound/protocol/retention.ts';
import { compileUpdate } from './compile-write.ts';
import { toAttributes } from './marshal.ts';
import { getItem, putItem, queryAll, refusedItem } from './table-calls.ts';

/** `PayloadStore` on the `payloads` table. */
export class DynamoDbPayloadStore implements PayloadStore {
  protected readonly client: DynamoDBClient;
  protected readonly table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.client = client;
    this.table = table;
  }

  async putBody(item: PayloadItem): Promise<void> {
    const written = await putItem(this.client, this.table, item, missing('pk'));
    if (written.kind === 'applied' || !livesTooShort(written.item?.expiresAt, item.expiresAt)) return;
    // The same body is there. Only its lifetime may change: the headers that came with it first are the ones to keep.
    const sha = item.sk.slice('B#'.length);
    if ((await this.raiseBody(item.pk, sha, item.expiresAt)) === 'missing') {
      throw new DependencyError('dynamodb', 'the body expired while it was put', { outcome: 'not_applied' });
    }
  }

  getBody(pk: EventPk, bodySha: string): Promise<PayloadItem | undefined> {
    return getItem<PayloadItem>(this.client, this.table, { pk, sk: `B#${bodySha}` });
  }

  async raiseBody(pk: EventPk, bodySha: string, expiresAt: number): Promise<'raised' | 'missing'> {
    const condition = all(exists('pk'), lt(TTL_ATTRIBUTE, expiresAt));
    const update = compileUpdate(this.table, { pk, sk: `B#${bodySha}` }, { set: { expiresAt } }, condition);
    try {
      await this.client.send(new UpdateItemCommand({ ...update, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }));
      return 'raised';
    } catch (error) {
      return refusedItem('UpdateItem', error) === undefined ? 'missing' : 'raised';
    }
  }

  async putDetail(item: DetailItem): Promise<void> {
    await putItem(this.client, this.table, item);
  }

  getDetail(pk: EventPk, sk: DetailKey): Promise<DetailItem | undefined> {
    return getItem<DetailItem>(this.client, this.table, { pk, sk });
  }

  async putRefused(item: RefusedItem): Promise<void> {
    await putItem(this.client, this.table, item);
  }

  async listRefused(sourceId: SourceId, cause?: string, read?: 'eventual'): Promise<readonly RefusedItem[]> {
    const found = await queryAll<RefusedItem>(this.client, {
      TableName: this.table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: toAttributes({ ':pk': `_refused#${sourceId}`, ':sk': refusedPrefix(cause) }),
      ConsistentRead: read !== 'eventual',
    });
    return found.sort((a, b) => b.refusedAt - a.refusedAt);
  }
}
