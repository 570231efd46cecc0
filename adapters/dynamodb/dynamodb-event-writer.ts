import { type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { missing } from '#core/condition.ts';
import { CONTROL_PREFIX, TTL_ATTRIBUTE } from '#core/glossary.ts';
import type { EventStore, EventUpdate, WriteResult } from '#core/inbound/ports.ts';
import { ActivityBook } from '#core/inbound/protocol/activity.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { type Shards, SpreadWriter, shardsIn } from '#core/inbound/protocol/spread.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { compilePut, compileUpdate } from './compile-write.ts';
import { fromAttributes } from './marshal.ts';
import { refusedItem } from './table-calls.ts';

/** The writes ingest makes, apart from the rest of `EventStore` so that its bundle holds no more. */
export class DynamoDbEventWriter implements Pick<EventStore, 'insert' | 'update' | 'note'> {
  readonly note: EventStore['note'];
  protected readonly client: DynamoDBClient;
  protected readonly table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.client = client;
    this.table = table;
    this.note = new ActivityBook(async ({ key, name, expiresAt }) => {
      const changes = { set: { [name]: true, [TTL_ATTRIBUTE]: expiresAt } };
      const input = compileUpdate(table, { pk: CONTROL_PREFIX + key }, changes);
      await sent('dynamodb', 'UpdateItem', () => client.send(new UpdateItemCommand(input)));
    }).note;
  }

  async insert(item: EventItem): Promise<WriteResult> {
    const put = compilePut(this.table, { ...item }, missing('pk'));
    try {
      await this.client.send(new PutItemCommand({ ...put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }));
      return { kind: 'applied', item };
    } catch (error) {
      return refusedOrThrow('PutItem', error);
    }
  }

  async update(update: EventUpdate): Promise<WriteResult> {
    const compiled = compileUpdate(this.table, { pk: update.pk }, update, update.condition);
    try {
      const { Attributes = {} } = await this.client.send(
        new UpdateItemCommand({
          ...compiled,
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return { kind: 'applied', item: parseEventItem(fromAttributes(Attributes)) };
    } catch (error) {
      return refusedOrThrow('UpdateItem', error);
    }
  }
}

/** The writer of `ingest`; `shards`: the sources that are spread over several keys. */
export function openEventWriter(
  client: DynamoDBClient,
  table: string,
  shards: Shards | undefined,
): Pick<EventStore, 'insert' | 'update' | 'note'> {
  const writer = new DynamoDbEventWriter(client, table);
  return shards === undefined ? writer : new SpreadWriter(writer, shardsIn(shards));
}

function refusedOrThrow(call: string, error: unknown): WriteResult {
  const item = refusedItem<Record<string, unknown>>(call, error);
  return { kind: 'refused', item: item && parseEventItem(item) };
}
