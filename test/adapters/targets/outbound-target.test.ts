/** The way from a route to the delivery stack's tables and queue, at a server that answers as DynamoDB and SQS do. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OutsideTargets } from '#adapters/targets/outside-targets.ts';

const asked: string[] = [];
let server: Server;
let endpoint: string;
const APP = 'app_01m82g7781b927v42hdrwqdw0r';
const META = { S: 'META' };
/** Answers by call: the name of the application, the application, and two that are accepted. */
function answerTo(target: string, body: { Key?: { pk: { S: string } } }): object {
  const pk = body.Key?.pk.S ?? '';
  if (target.endsWith('GetItem') && pk === 'U#acme') return { Item: { pk: { S: pk }, sk: META, id: { S: APP } } };
  if (target.endsWith('GetItem') && pk === `A#${APP}`)
    return {
      Item: {
        pk: { S: pk },
        sk: META,
        id: { S: APP },
        name: { S: 'Acme' },
        metadata: { M: {} },
        endpointVersion: { N: '0' },
        endpoints: { N: '0' },
        createdAt: { N: '1' },
        state: { S: 'active' },
        format: { S: 'standard' },
        limits: { M: {} },
      },
    };
  return {};
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const target = String(request.headers['x-amz-target']);
    const text = Buffer.concat(chunks).toString();
    const body = JSON.parse(text) as Parameters<typeof answerTo>[1] & { TableName?: string; QueueUrl?: string };
    asked.push(`${target.replace(/^.*\./, '')} ${body.TableName ?? body.QueueUrl}`);
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    response.writeHead(200, headers).end(JSON.stringify(answerTo(target, body)));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise(resolve => server.close(resolve)));

function targets() {
  const keys = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  const env = { ...keys, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: endpoint };
  const outbound = {
    ...{ registryTable: 'registry', outboxTable: 'outbox', bodiesBucket: 'bodies', retentionMs: 86_400_000 },
    jobsQueueUrl: `${endpoint}/jobs`,
  };
  return new OutsideTargets({} as never, { env, outbound });
}
const message = (application: string) => ({
  ...{ application, key: 'k', type: 'invoice.paid', contentType: 'application/json' },
  bytes: new TextEncoder().encode('{}'),
});

it('reads the application, puts the message, then sends its job', async () => {
  asked.length = 0;
  const delivered = await targets().publish(message('acme'));
  expect(delivered).toEqual({ kind: 'accepted', receipt: expect.stringMatching(/^msg_/) });
  expect(new Set(asked.slice(0, -2))).toEqual(new Set(['GetItem registry']));
  expect(asked.slice(-2)).toEqual(['PutItem outbox', expect.stringMatching(/^SendMessage\w* .*\/jobs$/)]);
});

it('refuses an application that is not there, and fails where the function has no way to customers', async () => {
  expect(await targets().publish(message('nobody'))).toMatchObject({ kind: 'refused', cause: 'not_found' });
  const without = new OutsideTargets({} as never);
  await expect(without.publish(message('acme'))).rejects.toThrow('deployed without `outbound`');
});
