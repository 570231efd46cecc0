/** The two writes of ingest as they leave the process: which item they are about, under which condition. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbEventWriter, openEventWriter } from '#adapters/dynamodb/dynamodb-event-writer.ts';
import { eq } from '#core/condition.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: requests are JSON
type Json = any;
const item = makeEventItem('stripe', 'evt_1');
const asked: { readonly target: string; readonly body: Json }[] = [];
let writer: DynamoDbEventWriter;

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const body = JSON.parse(text) as Json;
  asked.push({ target: String(request.headers['x-amz-target']), body });
  // The item as it was put is the one that an update answers with.
  const put = asked.find(it => it.body.Item !== undefined)?.body.Item;
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify(body.Item === undefined ? { Attributes: put } : {}));
});

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const given = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'k',
    AWS_SECRET_ACCESS_KEY: 's',
    AWS_ENDPOINT_URL: url,
  };
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
  writer = new DynamoDbEventWriter(createDynamoDbClient(), 'events');
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

it('an insert puts the whole item, and only where there is none', async () => {
  expect(await writer.insert(item)).toEqual({ kind: 'applied', item });
  expect(asked).toHaveLength(1);
  const [{ target, body }] = asked as [(typeof asked)[number]];
  expect(target).toBe('DynamoDB_20120810.PutItem');
  expect(body).toMatchObject({ TableName: 'events', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
  expect(body.Item.pk).toEqual({ S: item.pk });
  expect(Object.keys(body.Item)).toEqual(expect.arrayContaining(Object.keys(item)));
  expect(body.ConditionExpression).toContain('attribute_not_exists');
});

it('an update names its event, the condition, and what to set, add and remove', async () => {
  await writer.insert(item);
  const update = { pk: item.pk, set: { attempts: 2 }, add: { resends: 1 }, remove: ['watchAt'] } as const;
  const result = await writer.update({ ...update, condition: eq('status', 'received') } as never);
  expect(result).toMatchObject({ kind: 'applied', item: { pk: item.pk } });
  const { target, body } = asked.at(-1) as (typeof asked)[number];
  expect(target).toBe('DynamoDB_20120810.UpdateItem');
  expect(body).toMatchObject({
    ...{ TableName: 'events', Key: { pk: { S: item.pk } } },
    ...{ ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  });
  expect(body.UpdateExpression).toMatch(/SET .*REMOVE .*ADD |SET .*ADD .*REMOVE /);
  expect(Object.values(body.ExpressionAttributeNames)).toEqual(
    expect.arrayContaining(['attempts', 'resends', 'watchAt', 'status']),
  );
  expect(Object.values(body.ExpressionAttributeValues)).toEqual(
    expect.arrayContaining([{ N: '2' }, { N: '1' }, { S: 'received' }]),
  );
});

it('puts the events of a source under its keys, and leaves the others alone', async () => {
  const spread = openEventWriter(createDynamoDbClient(), 'events', { stripe: 4 });
  for (let n = 0; n < 40; n++) {
    await spread.insert(makeEventItem('stripe', `e${n}`));
    await spread.insert(makeEventItem('github', `e${n}`));
  }
  const hours = asked.map(({ body }) => String(body.Item.timelineHour.S));
  expect(new Set(hours.filter(hour => hour.startsWith('stripe'))).size).toBe(4);
  expect(new Set(hours.filter(hour => hour.startsWith('github'))).size).toBe(1);
});

it('spreads nothing where no source is spread', () => {
  const client = {} as never;
  expect(openEventWriter(client, 'events', undefined)).toBeInstanceOf(DynamoDbEventWriter);
  expect(openEventWriter(client, 'events', { stripe: 2 })).not.toBeInstanceOf(DynamoDbEventWriter);
});
