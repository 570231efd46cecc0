/** Where functions of the gateway stack find records and bodies. */
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { systemClock, systemIds } from '#adapters/system.ts';
import { shardBook } from '#core/inbound/protocol/shard-book.ts';
import { shardsIn } from '#core/inbound/protocol/spread.ts';
import { SpreadStore } from '#core/inbound/protocol/spread-store.ts';
import { config } from './baked-config.ts';

type Tables = Readonly<Record<'EVENTS_TABLE' | 'PAYLOADS_TABLE', string>>;

export function inboundStores({ EVENTS_TABLE, PAYLOADS_TABLE }: Tables) {
  const dynamodb = createDynamoDbClient();
  return {
    store: new DynamoDbEventStore(dynamodb, EVENTS_TABLE),
    payloads: new DynamoDbPayloadStore(dynamodb, PAYLOADS_TABLE),
    control: dynamoDbControlStore(dynamodb, EVENTS_TABLE, systemIds),
  };
}

/** For whoever reads the indexes: an event of a busy source stands under one of several keys of them. */
export function spreadStores(tables: Tables) {
  const { store, control, payloads } = inboundStores(tables);
  const shardsOf = shardBook(control, systemClock.now, config.shards);
  return { store: new SpreadStore(store, shardsIn(config.shards), shardsOf), payloads, control };
}
