import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { eq, missing } from '#core/condition.ts';
import { CONTROL_PREFIX } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import { EVENT_INDEXES } from '#core/inbound/protocol/event-item.ts';
import type { Ids } from '#core/ports.ts';
import { toAttributes } from './marshal.ts';
import { getItem, putItem, queryAll } from './table-calls.ts';

const CONTROL_HOUR = '_control';

interface ControlItem {
  readonly pk: string;
  readonly value: string;
  readonly version: number;
  /** Names the write, so that the SDK's own retry of it is not taken for somebody else's. */
  readonly writeId: string;
  readonly timelineHour: string;
  readonly timelineAt: string;
}

/**
 * `ControlStore` in the `events` table: one item per name under a key no source can have, listed through the
 * `timeline` index. A read is consistent; a list lags as indexes do.
 */
export const dynamoDbControlStore = (client: DynamoDBClient, table: string, ids: Ids): ControlStore => ({
  async read(name) {
    const item = await getItem<ControlItem>(client, table, { pk: CONTROL_PREFIX + name });
    return item && { value: item.value, version: item.version };
  },

  async write(name, value, expectedVersion) {
    const item: ControlItem = {
      pk: CONTROL_PREFIX + name,
      value,
      version: expectedVersion + 1,
      writeId: ids.uuid(),
      timelineHour: CONTROL_HOUR,
      timelineAt: name,
    };
    const condition = expectedVersion === 0 ? missing('pk') : eq('version', expectedVersion);
    const written = await putItem(client, table, item, condition);
    return written.kind === 'applied' || written.item?.writeId === item.writeId;
  },

  async list(prefix) {
    const { name: IndexName, partition, sort } = EVENT_INDEXES.timeline;
    const found = await queryAll<ControlItem>(client, {
      TableName: table,
      IndexName,
      KeyConditionExpression: prefix === '' ? '#p = :p' : '#p = :p AND begins_with(#s, :prefix)',
      ExpressionAttributeNames: { '#p': partition, ...(prefix === '' ? {} : { '#s': sort }) },
      ExpressionAttributeValues: toAttributes({
        ':p': CONTROL_HOUR,
        ...(prefix === '' ? {} : { ':prefix': prefix }),
      }),
    });
    return found.map(({ timelineAt }) => timelineAt);
  },
});
