import { randomUUID } from 'node:crypto';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import type { EventPk } from '#core/glossary.ts';
import { toHour } from '#core/time.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';

const AT_ONCE = 8;
const BATCH = 25;

/**
 * Copies a finished event, record and payload as they are stored, under new keys; answers these. What its place in the
 * indexes is made of follows the new source and time.
 */
export async function multiplyEvent(
  gateway: GatewayUnderTest,
  pk: EventPk,
  count: number,
  copy: (n: number) => { readonly source: string; readonly receivedAt: number },
): Promise<readonly string[]> {
  const documents = DynamoDBDocumentClient.from(gateway.clients.dynamo);
  const [events, payloads] = [outputOf(gateway.stacks, 'EventsTable'), outputOf(gateway.stacks, 'PayloadsTable')];
  const { Item: record } = await documents.send(
    new GetCommand({ TableName: events, Key: { pk }, ConsistentRead: true }),
  );
  const { Items: parts = [] } = await documents.send(
    new QueryCommand({
      TableName: payloads,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: true,
    }),
  );
  if (!record || parts.length === 0) throw new Error(`${pk} is not there`);
  const oldKey = pk.slice(pk.indexOf('#') + 1);
  const keys = Array.from({ length: count }, () => randomUUID());
  const writes = keys.flatMap((key, n) => {
    const { source, receivedAt } = copy(n);
    const newPk = `${source}#${key}`;
    const { attentionAt } = record as { attentionAt?: string };
    const item = {
      ...record,
      pk: newPk,
      receivedAt,
      timelineHour: `${source}#${toHour(receivedAt)}`,
      timelineAt: `${receivedAt}#${key}`,
      ...(attentionAt === undefined ? {} : { attentionSource: source, attentionAt: attentionAt.replace(oldKey, key) }),
    };
    return [
      [events, { PutRequest: { Item: item } }] as const,
      ...parts.map(part => [payloads, { PutRequest: { Item: { ...part, pk: newPk } } }] as const),
    ];
  });
  const batches = Array.from({ length: Math.ceil(writes.length / BATCH) }, (_, n) =>
    writes.slice(n * BATCH, (n + 1) * BATCH),
  );
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let batch = batches.pop(); batch; batch = batches.pop()) await writeAll(documents, batch);
    }),
  );
  return keys;
}

type Write = readonly [table: string, request: { readonly PutRequest: { readonly Item: Record<string, unknown> } }];

async function writeAll(documents: DynamoDBDocumentClient, batch: readonly Write[]): Promise<void> {
  let RequestItems: BatchWriteCommandInput['RequestItems'] = Object.fromEntries(
    [...Map.groupBy(batch, ([table]) => table)].map(([table, writes]) => [table, writes.map(([, request]) => request)]),
  );
  while (RequestItems && Object.keys(RequestItems).length > 0) {
    RequestItems = (await documents.send(new BatchWriteCommand({ RequestItems }))).UnprocessedItems;
  }
}
