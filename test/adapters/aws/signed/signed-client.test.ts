import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signPost } from '#adapters/aws/signed/sign.ts';
import { missing } from '#core/condition.ts';
import { toSourceId } from '#core/glossary.ts';
import { type AwsAdapters, bundleSignedAdapters, sdkAdapters } from '#test/adapters/aws-adapters.ts';
import { environmentFor } from '#test/adapters/contracts/dynamodb-tables.ts';
import { makeEventItem, mixed } from '#test/adapters/contracts/event-item-fixture.ts';

/** Names of the refusals that the SDK takes for a throttle or a timeout, read from its own lists. */
function retriedBySdk(): readonly string[] {
  const folder = join(import.meta.dirname, '../../../../node_modules/@smithy/core/dist-es/submodules/retry');
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
let signedAdapters: AwsAdapters;
beforeAll(async () => {
  recorder = await startRecorder();
  signedAdapters = await bundleSignedAdapters();
});
afterAll(() => recorder.stop());

const environment = () => ({ ...environmentFor(recorder.url), AWS_SESSION_TOKEN: 'a session token' });

/** What ingest and process can ask of their services. */
async function askAll(adapters: AwsAdapters, text: string): Promise<readonly Recorded[]> {
  recorder.seen.length = 0;
  const env = environment();
  const dynamodb = adapters.createDynamoDbClient(env);
  const sqs = adapters.createSqsClient(env);
  const item = { ...makeEventItem('signed', 'evt-1'), lastError: text };
  const bytes = Buffer.from(text);
  const writer = new adapters.DynamoDbEventWriter(dynamodb, 'events');
  const payloads = new adapters.DynamoDbPayloadStore(dynamodb, 'payloads');
  const secrets = new adapters.SecretsManagerValues(adapters.createSecretsClient(env), 'test');
  await writer.insert(item);
  await writer.update({ pk: item.pk, condition: missing('owner'), set: mixed({ owner: text }), add: { attempts: 1 } });
  await payloads.putBody({ pk: item.pk, sk: `B#${'a'.repeat(64)}`, bytes, headers: { 'x-a': text }, expiresAt: 4e9 });
  await payloads.getBody(item.pk, 'a'.repeat(64));
  await new adapters.SqsWorkQueue(sqs, `${recorder.url}/000000000000/work`).send(text || 'x', {
    groupId: 'g',
    delaySeconds: 3,
  });
  await secrets.fetch(toSourceId('stripe'));
  await secrets.fetchMany(['stripe', 'github'].map(toSourceId));
  recorder.planned.push({ status: 200, body: JSON.stringify({ SecretString: 'old', VersionId: 'v1' }) });
  await secrets.replace(toSourceId('stripe'), 'old', `${text}new`);
  await adapters.primeDynamoDb(dynamodb, 'events');
  await adapters.primeSqs(sqs, `${recorder.url}/000000000000/work`);
  await askAsProcess(adapters, text);
  return [...recorder.seen];
}

async function askAsProcess(adapters: AwsAdapters, text: string): Promise<void> {
  const env = environment();
  const sqs = adapters.createSqsClient(env);
  const store = new adapters.DynamoDbEventStore(adapters.createDynamoDbClient(env), 'events');
  const pk = makeEventItem('signed', 'evt-1').pk;
  const update = { pk, condition: missing('owner'), set: mixed({ owner: text }) };
  const item = { id: 'a', bytes: Buffer.from(text), set: new Set([Uint8Array.of(1, 2), Uint8Array.of(3)]) };
  await store.transact(update, [{ kind: 'put', table: 'effects', item, condition: missing('id') }], 'token');
  await store.getMany([pk]);
  await store.timeline('hour', { newestFirst: true });
  await store.scan();
  const queue = `${recorder.url}/000000000000/dead`;
  await new adapters.SqsReceiptBox(sqs, queue).hide('receipt', 5);
  const dead = new adapters.SqsDeadQueue(sqs, queue);
  await dead.send(text || 'x', 'cause');
  await dead.receive(3);
  await dead.delete('receipt');
}

const texts = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constant('Grüße, 世界 🎉 "\\\n'));

describe('the signed client beside the SDK', () => {
  test('asks the same of each service, in the same words', async () => {
    for (const text of ['plain', 'Grüße, 世界 🎉 "\\\n\u0000\u2028', '']) {
      const bySdk = await askAll(sdkAdapters, text);
      const byUs = await askAll(signedAdapters, text);
      const view = (all: readonly Recorded[]) =>
        all.map(({ headers, body }) => ({
          target: headers['x-amz-target'],
          contentType: headers['content-type'],
          token: headers['x-amz-security-token'],
          length: headers['content-length'],
          body: JSON.parse(body),
        }));
      expect(byUs.length).toBe(19);
      expect(view(byUs).map(({ length: _, ...it }) => it)).toEqual(view(bySdk).map(({ length: _, ...it }) => it));
      for (const { headers, body } of byUs) expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body));
    }
  });

  test('signs as the SDK does, whatever the body', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async text => {
        for (const { headers, body } of await askAll(sdkAdapters, text)) {
          const authorization = String(headers.authorization);
          const [, service = ''] = /\/eu-central-1\/([a-z]+)\/aws4_request/.exec(authorization) ?? [];
          const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
          const signed = Object.fromEntries(names.map(name => [name, String(headers[name])]));
          const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
          expect(names).toContain('x-amz-date');
          expect(signPost(signed, body, credentials, { region: 'eu-central-1', service })).toBe(authorization);
        }
      }),
      { numRuns: 15 },
    );
  });

  test('signs every header it relies on', async () => {
    for (const { headers } of await askAll(signedAdapters, 'x')) {
      expect(headers.authorization).toContain(
        'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target,',
      );
    }
  });
});

describe('what a service answers', () => {
  const insert = () => {
    const client = signedAdapters.createDynamoDbClient(environment());
    return new signedAdapters.DynamoDbEventWriter(client, 'events').insert(makeEventItem('signed', 'evt-2'));
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

  test('a cancelled transaction brings its reasons', async () => {
    const store = new signedAdapters.DynamoDbEventStore(signedAdapters.createDynamoDbClient(environment()), 'events');
    const update = { pk: makeEventItem('signed', 'evt-4').pk, condition: missing('owner'), set: {} };
    const cancelled = (...codes: readonly string[]): Planned =>
      refusal('TransactionCanceledException', { CancellationReasons: codes.map(Code => ({ Code })) });
    plan(cancelled('None', 'None', 'ConditionalCheckFailed'), cancelled('None', 'ThrottlingError'));
    expect(await store.transact(update, [], 'a')).toEqual({ kind: 'effect_refused', index: 1 });
    await expect(store.transact(update, [], 'b')).rejects.toThrow(/ThrottlingError/);
    plan(refusal('TransactionInProgressException'), refusal('TransactionInProgressException'));
    expect(await store.transact(update, [], 'c')).toEqual({ kind: 'conflict' });
    expect(recorder.seen.length).toBe(2);
  });

  test('bytes, and sets of them, come as the SDK would give them', async () => {
    const answer = { Item: { one: { B: 'AQI=' }, set: { BS: ['AQI=', 'Aw=='] }, map: { M: { BS: { L: [] } } } } };
    const read = (adapters: AwsAdapters) => {
      plan({ status: 200, body: JSON.stringify(answer) });
      const store = new adapters.DynamoDbEventStore(adapters.createDynamoDbClient(environment()), 'events');
      return store.readItem('effects', { id: 'a' });
    };
    const item = await read(signedAdapters);
    expect(item).toStrictEqual(await read(sdkAdapters));
    expect(item).toMatchObject({ one: Uint8Array.of(1, 2), map: { BS: [] } });
  });

  test('a send whose time is over does not go out', async () => {
    const target = signedAdapters.createQueueTarget(signedAdapters.createSqsClient(environment()));
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

  const bodyOf = (adapters: AwsAdapters) => {
    const client = adapters.createDynamoDbClient(environment());
    return new adapters.DynamoDbPayloadStore(client, 'payloads').getBody(makeEventItem('signed', 'evt-2').pk, 'a');
  };
  const item = JSON.stringify({ Item: { pk: { S: 'a' }, sk: { S: 'B#a' } } });
  const cut = { status: 200, body: item.slice(0, 20), headers: { 'content-length': String(item.length) } };

  test.each([
    ['an empty one', { status: 200, body: '', headers: { 'content-length': '0' } }],
    ['one that is cut where JSON ends', { status: 200, body: '{}', headers: { 'x-amz-crc32': String(crc32(item)) } }],
    ['a list', { status: 200, body: '[]' }],
    ['null', { status: 200, body: 'null' }],
  ])('a 200 that is not the whole answer, %s, does not say that there is no such item', async (_name, answer) => {
    plan(answer, answer, answer);
    await expect(bodyOf(signedAdapters)).rejects.toMatchObject({ name: 'DependencyError', outcome: 'unknown' });
    expect(recorder.seen.length).toBe(2);
    plan(answer, { status: 200, body: item });
    expect(await bodyOf(signedAdapters)).toMatchObject({ pk: 'a' });
  });

  test.each([
    ['an empty one', { status: 200, body: '', headers: { 'content-length': '0' } }],
    ['an empty one without a length', { status: 200, body: '', headers: { 'transfer-encoding': 'chunked' } }],
    ['one that is cut where JSON ends', { status: 200, body: '{}', headers: { 'x-amz-crc32': String(crc32(item)) } }],
    ['one that ends before its end', cut],
    ['a list', { status: 200, body: '[]' }],
    ['null', { status: 200, body: 'null' }],
  ])('nor to the SDK: %s', async (_name, answer) => {
    plan(answer, answer, answer);
    await expect(bodyOf(sdkAdapters)).rejects.toMatchObject({ name: 'DependencyError', outcome: 'unknown' });
    expect(recorder.seen.length).toBe(2);
    plan(answer, { status: 200, body: item });
    expect(await bodyOf(sdkAdapters)).toMatchObject({ pk: 'a' });
  });

  test.each([
    ['the small client', () => signedAdapters],
    ['the SDK', () => sdkAdapters],
  ] as const)('an answer without what its operation always holds is none, to %s', async (_name, adapters) => {
    const client = adapters().createDynamoDbClient(environment());
    const store = new (adapters().DynamoDbEventStore)(client, 'events');
    const { pk } = makeEventItem('signed', 'evt-2');
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
    const queue = new (adapters().SqsWorkQueue)(adapters().createSqsClient(environment()), `${recorder.url}/0/work`);
    await expect(queue.send('x', { groupId: 'g' })).rejects.toMatchObject({ name: 'DependencyError' });
  });

  test('an answer whose connection ends before its end is none', async () => {
    plan(cut, cut);
    await expect(bodyOf(signedAdapters)).rejects.toMatchObject({ name: 'DependencyError', outcome: 'unknown' });
  });

  test('a refusal of the second try may follow a first one that was applied', async () => {
    plan({ status: 500, body: '' }, refusal('AccessDeniedException'));
    await expect(insert()).rejects.toMatchObject({ outcome: 'unknown' });
  });

  test('credentials that are not set are named', async () => {
    const env = { ...environment(), AWS_ACCESS_KEY_ID: '' };
    const writer = new signedAdapters.DynamoDbEventWriter(signedAdapters.createDynamoDbClient(env), 'events');
    await expect(writer.insert(makeEventItem('signed', 'evt-3'))).rejects.toThrow(/AWS_ACCESS_KEY_ID/);
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
  test.each([
    ['the SDK', () => sdkAdapters],
    ['the signed client', () => signedAdapters],
  ] as const)('the second try of %s takes no other connection that may have ended too', async (_name, adapters) => {
    const forgetter = await startForgetter();
    const client = adapters().createDynamoDbClient(environmentFor(forgetter.url));
    const writer = new (adapters().DynamoDbEventWriter)(client, 'events');
    const insert = (id: string) => writer.insert(makeEventItem('signed', id));
    await Promise.all([insert('evt-4'), insert('evt-5')]);
    await expect(insert('evt-6')).resolves.toMatchObject({ kind: 'applied' });
    client.destroy();
    forgetter.stop();
  });
});
