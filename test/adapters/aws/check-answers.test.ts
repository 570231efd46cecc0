/** What a service answers, and what the adapters make of it, through the SDK's client as it is deployed. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbEventWriter } from '#adapters/dynamodb/dynamodb-event-writer.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { createQueueTarget } from '#adapters/targets/queue-target.ts';
import { missing } from '#core/condition.ts';
import { toSourceId } from '#core/glossary.ts';
import { environmentFor } from '#test/adapters/contracts/dynamodb-tables.ts';
import { makeEventItem, mixed } from '#test/adapters/contracts/event-item-fixture.ts';

/** Names of the refusals that the SDK takes for a throttle or a timeout, read from its own lists. */
function retriedBySdk(): readonly string[] {
  const folder = join(import.meta.dirname, '../../../node_modules/@smithy/core/dist-es/submodules/retry');
  const text = readFileSync(join(folder, 'service-error-classification/constants.js'), 'utf8');
  const lists = ['THROTTLING_ERROR_CODES', 'TRANSIENT_ERROR_CODES'].map(
    name => new RegExp(`export const ${name} = \\[([^\\]]*)\\]`).exec(text)?.[1] ?? '',
  );
  // A service cannot refuse with TimeoutError: that is the SDK's own, for an answer that did not come.
  return lists
    .flatMap(list => [...list.matchAll(/"(\w+)"/g)].map(([, name = '']) => name))
    .filter(it => it !== 'TimeoutError');
}

interface Recorded {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
interface Planned {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the operation always answers; the SDK checks what SQS says it got, too. */
function answerTo({ headers, body }: Recorded): string {
  const [, operation = ''] = String(headers['x-amz-target']).split('.');
  const { MessageBody = '', ReturnValues } = JSON.parse(body) as { MessageBody?: string; ReturnValues?: string };
  const answers: Record<string, object> = {
    SendMessage: { MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') },
    BatchGetItem: { Responses: {} },
    Query: { Items: [] },
    Scan: { Items: [] },
    GetSecretValue: { VersionId: 'v0' },
    UpdateItem: ReturnValues === 'ALL_NEW' ? { Attributes: { pk: { S: 'a' } } } : {},
  };
  return JSON.stringify(answers[operation] ?? {});
}

/** A service that keeps what it is asked and answers what it is told. */
async function startRecorder() {
  const seen: Recorded[] = [];
  const planned: Planned[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      seen.push(asked);
      const { status, body, headers = {} }: Planned = planned.shift() ?? { status: 200, body: answerTo(asked) };
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers }).end(body);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    planned,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

let recorder: Awaited<ReturnType<typeof startRecorder>>;
beforeAll(async () => {
  recorder = await startRecorder();
});
afterAll(() => recorder.stop());

const environment = () => ({ ...environmentFor(recorder.url), AWS_SESSION_TOKEN: 'a session token' });

describe('what a service answers', () => {
  const insert = () => {
    const client = createDynamoDbClient(environment());
    return new DynamoDbEventWriter(client, 'events').insert(makeEventItem('answers', 'evt-2'));
  };
  const plan = (...answers: readonly Planned[]): void => {
    recorder.seen.length = 0;
    recorder.planned.splice(0, Number.POSITIVE_INFINITY, ...answers);
  };
  const refusal = (type: string, more: object = {}): Planned => ({
    status: 400,
    body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no', ...more }),
  });

  test('a refused condition brings the item, its bytes decoded', async () => {
    plan(
      refusal('ConditionalCheckFailedException', {
        Item: { pk: { S: 'a' }, bytes: { B: 'AQI=' }, map: { M: { B: { S: 'x' } } } },
      }),
    );
    const result = await insert();
    expect(result).toMatchObject({ kind: 'refused', item: { pk: 'a', map: { B: 'x' } } });
    expect(Buffer.from((result.item as unknown as { bytes: Uint8Array }).bytes)).toEqual(Buffer.of(1, 2));
  });

  test('a canceled transaction brings its reasons', async () => {
    const store = new DynamoDbEventStore(createDynamoDbClient(environment()), 'events');
    const update = { pk: makeEventItem('answers', 'evt-4').pk, condition: missing('owner'), set: {} };
    const canceled = (...codes: readonly string[]): Planned =>
      refusal('TransactionCanceledException', { CancellationReasons: codes.map(Code => ({ Code })) });
    plan(canceled('None', 'None', 'ConditionalCheckFailed'), canceled('None', 'ThrottlingError'));
    expect(await store.transact(update, [], 'a')).toEqual({ kind: 'effect_refused', index: 1 });
    await expect(store.transact(update, [], 'b')).rejects.toThrow(/ThrottlingError/);
    plan(refusal('TransactionInProgressException'), refusal('TransactionInProgressException'));
    expect(await store.transact(update, [], 'c')).toEqual({ kind: 'conflict' });
    expect(recorder.seen.length).toBe(2);
  });

  test('bytes, and sets of them, come as bytes', async () => {
    const answer = { Item: { one: { B: 'AQI=' }, set: { BS: ['AQI=', 'Aw=='] }, map: { M: { BS: { L: [] } } } } };
    plan({ status: 200, body: JSON.stringify(answer) });
    const store = new DynamoDbEventStore(createDynamoDbClient(environment()), 'events');
    const item = await store.readItem('effects', { id: 'a' });
    expect(item).toEqual({
      one: Uint8Array.of(1, 2),
      set: new Set([Uint8Array.of(1, 2), Uint8Array.of(3)]),
      map: { BS: [] },
    });
  });

  test('an answer whose bytes somebody took is none, and is not waited for', async () => {
    const client = createDynamoDbClient(environment());
    client.middlewareStack.add(
      next => async args => {
        const handled = await next(args);
        for await (const _bytes of (handled.response as { body: AsyncIterable<Uint8Array> }).body);
        return handled;
      },
      { step: 'deserialize', priority: 'low', name: 'take' },
    );
    plan();
    const insert = new DynamoDbEventWriter(client, 'events').insert(makeEventItem('answers', 'evt-5'));
    await expect(insert).rejects.toThrow(/an answer that ends in its middle/);
  }, 5_000);

  test('a send whose time is over does not go out', async () => {
    const target = createQueueTarget(createSqsClient(environment()));
    const message = { text: 'x', source: toSourceId('stripe'), eventType: 't', keyHash: 'k', group: 'g' };
    plan();
    const given = AbortSignal.abort(new Error('late'));
    const sent = await target.send('arn:aws:sqs:eu-central-1:000000000000:work', message, given);
    expect(sent).toMatchObject({ kind: 'failed' });
    expect(recorder.seen.length).toBe(0);
  });

  test('everything the SDK tries again is tried again', async () => {
    const names = retriedBySdk();
    expect(names).toEqual(
      expect.arrayContaining(['RequestThrottledException', 'ThrottlingException', 'RequestTimeout']),
    );
    for (const name of names) {
      plan(refusal(name), refusal(name), refusal(name));
      await expect(insert()).rejects.toMatchObject({ name: 'DependencyError', outcome: 'unknown' });
      expect(recorder.seen.length, name).toBe(2);
    }
  });

  test.each([
    ['ThrottlingException', 2],
    ['ProvisionedThroughputExceededException', 2],
    ['RequestLimitExceeded', 2],
    ['ValidationException', 1],
    ['AccessDeniedException', 1],
    ['ResourceNotFoundException', 1],
  ])('%s: %d tries', async (type, tries) => {
    plan(refusal(type), refusal(type), refusal(type));
    const outcome = tries === 1 ? 'not_applied' : 'unknown';
    await expect(insert()).rejects.toMatchObject({ name: 'DependencyError', outcome });
    expect(recorder.seen.length).toBe(tries);
  });

  test.each([
    { status: 500, body: '{"__type":"InternalServerError"}' },
    { status: 502, body: '<html>Bad Gateway</html>' },
    { status: 400, body: '<html>a page of some proxy</html>' },
    { status: 400, body: '' },
    { status: 400, body: 'null' },
    { status: 403, body: '[]' },
    { status: 301, body: '{}' },
    { status: 200, body: 'not JSON' },
    { status: 200, body: '{"Attributes":' },
  ])('$status with $body: nothing is known of the outcome, after two tries', async answer => {
    plan(answer, answer, answer);
    await expect(insert()).rejects.toMatchObject({ name: 'DependencyError', outcome: 'unknown' });
    expect(recorder.seen.length).toBe(2);
  });

  const bodyOf = () => {
    const client = createDynamoDbClient(environment());
    return new DynamoDbPayloadStore(client, 'payloads').getBody(makeEventItem('answers', 'evt-2').pk, 'a');
  };
  const item = JSON.stringify({ Item: { pk: { S: 'a' }, sk: { S: 'B#a' } } });
  const cut = { status: 200, body: item.slice(0, 20), headers: { 'content-length': String(item.length) } };

  test.each([
    ['an empty one', { status: 200, body: '', headers: { 'content-length': '0' } }],
    ['an empty one without a length', { status: 200, body: '', headers: { 'transfer-encoding': 'chunked' } }],
    ['one that is cut where JSON ends', { status: 200, body: '{}', headers: { 'x-amz-crc32': String(crc32(item)) } }],
    ['one that ends before its end', cut],
    ['a list', { status: 200, body: '[]' }],
    ['null', { status: 200, body: 'null' }],
  ])('a 200 that is not the whole answer, %s, does not say that there is no such item', async (_name, answer) => {
    plan(answer, answer, answer);
    await expect(bodyOf()).rejects.toMatchObject({ name: 'DependencyError', outcome: 'unknown' });
    expect(recorder.seen.length).toBe(2);
    plan(answer, { status: 200, body: item });
    expect(await bodyOf()).toMatchObject({ pk: 'a' });
  });

  test('an answer without what its operation always holds is none', async () => {
    const store = new DynamoDbEventStore(createDynamoDbClient(environment()), 'events');
    const { pk } = makeEventItem('answers', 'evt-2');
    const nothing = { status: 200, body: '{}' };
    for (const ask of [
      () => store.getMany([pk]),
      () => store.scan(),
      () => store.timeline('hour', { newestFirst: true }),
      () => store.update({ pk, condition: missing('owner'), set: mixed({ owner: 'a' }) }),
    ]) {
      plan(nothing, nothing);
      await expect(ask()).rejects.toMatchObject({ name: 'DependencyError', outcome: 'unknown' });
    }
    plan({ status: 200, body: JSON.stringify({ MD5OfMessageBody: 'of another' }) }, nothing);
    const queue = sqsWorkQueue(createSqsClient(environment()), `${recorder.url}/0/work`);
    await expect(queue.send('x', { groupId: 'g' })).rejects.toMatchObject({ name: 'DependencyError' });
  });

  test('a refusal of the second try may follow a first one that was applied', async () => {
    plan({ status: 500, body: '' }, refusal('AccessDeniedException'));
    await expect(insert()).rejects.toMatchObject({ outcome: 'unknown' });
  });

  test('credentials that are not set are named', async () => {
    const env = { ...environment(), AWS_ACCESS_KEY_ID: '' };
    const writer = new DynamoDbEventWriter(createDynamoDbClient(env), 'events');
    await expect(writer.insert(makeEventItem('answers', 'evt-3'))).rejects.toThrow(/AWS_ACCESS_KEY_ID/);
  });
});

/** A service that ends each connection at its second request, as one whose end a frozen function could not see. */
async function startForgetter() {
  const known = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    if (known.has(request.socket)) {
      request.socket.resetAndDestroy();
      return;
    }
    known.add(request.socket);
    // The first two are answered together, so that each keeps a connection of its own.
    const answer = () => response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
    waiting.push(answer);
    if (known.size >= 2) for (const each of waiting.splice(0)) each();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

describe('after a freeze', () => {
  test('the second try takes no other connection that may have ended too', async () => {
    const forgetter = await startForgetter();
    const client = createDynamoDbClient(environmentFor(forgetter.url));
    const writer = new DynamoDbEventWriter(client, 'events');
    const insert = (id: string) => writer.insert(makeEventItem('answers', id));
    await Promise.all([insert('evt-4'), insert('evt-5')]);
    await expect(insert('evt-6')).resolves.toMatchObject({ kind: 'applied' });
    client.destroy();
    forgetter.stop();
  });
});
