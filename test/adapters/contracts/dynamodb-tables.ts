import { CreateTableCommand, DynamoDBClient, GetItemCommand, type KeySchemaElement } from '@aws-sdk/client-dynamodb';
import { clientSettings, type ServiceName } from '#adapters/aws/client-settings.ts';
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbItemStore } from '#adapters/dynamodb/dynamodb-item-store.ts';
import { dynamoDbSearchStore } from '#adapters/dynamodb/dynamodb-search-store.ts';
import { DynamoDbStepStore } from '#adapters/dynamodb/dynamodb-step-store.ts';
import { fromAttributes, toAttributes } from '#adapters/dynamodb/marshal.ts';
import { systemIds } from '#adapters/system.ts';
import { EVENT_INDEXES } from '#core/inbound/protocol/event-item.ts';
import { LISTED, OUTBOUND_TABLES } from '#core/outbound/protocol/keys.ts';

/** The environment a function would have, for an endpoint on this machine. */
export function environmentFor(url: string): Record<string, string> {
  return {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL: url,
  };
}

/** As the functions have them, but patient: a JVM that warms up on a busy machine takes its time. */
export function patientSettings(service: ServiceName, url: string) {
  const settings = clientSettings(service, environmentFor(url));
  const limits = { connectionTimeout: 5_000, requestTimeout: 30_000, socketTimeout: 30_000 };
  return { ...settings, requestHandler: { ...settings.requestHandler, ...limits } };
}

function makePatientClient(url: string): DynamoDBClient {
  return new DynamoDBClient(patientSettings('DYNAMODB', url));
}

/** The real adapters on the tables of a DynamoDB endpoint. */
export function makeDynamoDbTables(url: string) {
  const client = makePatientClient(url);
  return {
    client,
    store: new DynamoDbEventStore(client, 'events'),
    control: dynamoDbControlStore(client, 'events', systemIds),
    payloads: new DynamoDbStepStore(client, 'payloads'),
    search: dynamoDbSearchStore(client, 'payloads'),
    items: new DynamoDbItemStore(client, { registry: 'registry', outbox: 'outbox' }),
    eventsTable: 'events',
    effectsTable: 'effects',
    async readEffect(id: string): Promise<Record<string, unknown> | undefined> {
      const { Item } = await client.send(new GetItemCommand({ TableName: 'effects', Key: toAttributes({ id }) }));
      return Item && fromAttributes(Item);
    },
    settle: async () => {},
  };
}

/** Creates the tables as the constructs declare them. */
export async function createTables(url: string): Promise<void> {
  const client = makePatientClient(url);
  const key = (partition: string, sort?: string): KeySchemaElement[] => [
    { AttributeName: partition, KeyType: 'HASH' },
    ...(sort === undefined ? [] : [{ AttributeName: sort, KeyType: 'RANGE' as const }]),
  ];
  const indexes = Object.values(EVENT_INDEXES);
  await client.send(
    new CreateTableCommand({
      TableName: 'events',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: key('pk'),
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        ...indexes.flatMap(index => [
          { AttributeName: index.partition, AttributeType: 'S' as const },
          { AttributeName: index.sort, AttributeType: index.sortType === 'number' ? ('N' as const) : ('S' as const) },
        ]),
      ],
      GlobalSecondaryIndexes: indexes.map(index => ({
        IndexName: index.name,
        KeySchema: key(index.partition, index.sort),
        Projection:
          index.project.length > 0
            ? { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.project] }
            : { ProjectionType: 'KEYS_ONLY' },
      })),
    }),
  );
  await client.send(
    new CreateTableCommand({
      TableName: 'payloads',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: key('pk', 'sk'),
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
    }),
  );
  await client.send(
    new CreateTableCommand({
      TableName: 'effects',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: key('id'),
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
  for (const table of ['registry', 'outbox'] as const) {
    const { name, partition, sort } = LISTED;
    const { project } = OUTBOUND_TABLES[table];
    await client.send(
      new CreateTableCommand({
        TableName: table,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: key('pk', 'sk'),
        AttributeDefinitions: ['pk', 'sk', partition, sort].map(AttributeName => ({
          AttributeName,
          AttributeType: 'S' as const,
        })),
        GlobalSecondaryIndexes: [
          {
            IndexName: name,
            KeySchema: key(partition, sort),
            Projection:
              project.length > 0
                ? { ProjectionType: 'INCLUDE', NonKeyAttributes: [...project] }
                : { ProjectionType: 'KEYS_ONLY' },
          },
        ],
      }),
    );
  }
  client.destroy();
}
