import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { missing } from '#core/condition.ts';
import { CONTROL_PREFIX, TTL_ATTRIBUTE } from '#core/glossary.ts';
import type { EventStore, EventUpdate, WriteResult } from '#core/inbound/ports.ts';
import { noteOnce } from '#core/inbound/protocol/activity.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { type Shards, SpreadWriter, shardsIn } from '#core/inbound/protocol/spread.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { compileUpdate } from './compile-write.ts';
import { putItem, updateItem } from './table-calls.ts';

/** The writes ingest makes, apart from the rest of `EventStore` so that its bundle holds no more. */
export class DynamoDbEventWriter implements Pick<EventStore, 'insert' | 'update' | 'note'> {
  readonly note: EventStore['note'];
  protected readonly client: DynamoDBClient;
  protected readonly table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.client = client;
    this.table = table;
    this.note = noteOnce(async ({ key, name, expiresAt }) => {
      const changes = { set: { [name]: true, [TTL_ATTRIBUTE]: expiresAt } };
      const input = compileUpdate(table, { pk: CONTROL_PREFIX + key }, changes);
      await sent('dynamodb', 'UpdateItem', () => client.send(new UpdateItemCommand(input)));
    });
  }

  async insert(item: EventItem): Promise<WriteResult> {
    const written = await putItem<object>(this.client, this.table, item, missing('pk'));
    return written.kind === 'applied' ? { kind: 'applied', item } : refusedBy(written.item);
  }

  async update(update: EventUpdate): Promise<WriteResult> {
    const written = await updateItem<Stored>(this.client, this.table, { pk: update.pk }, update, update.condition);
    return written.kind === 'applied'
      ? { kind: 'applied', item: parseEventItem(written.item) }
      : refusedBy(written.item);
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

type Stored = Readonly<Record<string, unknown>>;

const refusedBy = (item: object | undefined): WriteResult => ({
  kind: 'refused',
  item: item && parseEventItem(item as Stored),
});
