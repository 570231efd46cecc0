/**
 * `holdfast/publish` against the producer's API on this machine, which checks signatures as AWS does: lost answers make one
 * message, 429 and 503 are waited out, refusals are told in the API's own words, and no call lasts longer than its deadline.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  createPublisher,
  PublishDeniedError,
  type Publisher,
  PublishRefusedError,
  PublishUnansweredError,
} from 'holdfast/publish';
import { afterEach, expect, expectTypeOf, it, vi } from 'vitest';
import { distancesFrom } from '#test/kit/import-graph.ts';
import { livedTime } from '#test/kit/lived-time.ts';
import { KEYS, REGION, servePublish } from '#test/kit/servers/publish-server.ts';

interface Events {
  'invoice.paid': { readonly invoice: string; readonly amount: number };
  'user.left': { readonly user: string };
}
type Server = Awaited<ReturnType<typeof servePublish>>;

let server: Server | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
  server = undefined;
});

async function open(
  more: Partial<Parameters<typeof createPublisher>[0]> = {},
): Promise<{ api: Server; publisher: Publisher<Events> }> {
  server = await servePublish();
  const options = { url: server.url, region: REGION, credentials: async () => KEYS, ...more };
  return { api: server, publisher: createPublisher<Events>(options) };
}
const PAID = {
  application: 'uid:acme',
  type: 'invoice.paid',
  payload: { invoice: 'in_1042', amount: 1200 },
  idempotencyKey: 'in_1042-paid',
} as const;
const failureOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => Promise.reject(new Error('it was published')),
    (error: Error) => error,
  );

it('publishes, signed, and the endpoint gets it with every field in its place', async () => {
  const { api, publisher } = await open();
  const at = new Date('2026-11-22T07:59:00Z');
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const published = await publisher.publish({
    ...{ ...PAID, timestamp: at, channels: ['eu'], apiVersion: '2026-11-01', subject: 'in_1042', sequence: '7' },
    ...{ mode: 'live', maxAttempts: 3, traceparent },
  });
  expect(published).toEqual({
    id: expect.stringMatching(/^msg_/),
    createdAt: expect.any(Date),
    duplicate: false,
    attempts: 1,
  });
  expect(published.createdAt.toISOString()).toBe(new Date(api.clock.now()).toISOString());
  const { headers, body } = api.seen[0] ?? {};
  expect(JSON.parse(body ?? '')).toEqual({
    ...{ key: 'in_1042-paid', type: 'invoice.paid', data: PAID.payload, timestamp: at.toISOString() },
    ...{
      channels: ['eu'],
      api_version: '2026-11-01',
      subject: 'in_1042',
      sequence: '7',
      mode: 'live',
      max_attempts: 3,
    },
  });
  expect(headers?.['traceparent']).toBe(traceparent);
  await api.settle();
  expect(api.sent.map(({ headers: sent }) => sent['webhook-id'])).toEqual([published.id]);
  expect(JSON.parse(Buffer.from(api.sent[0]?.body ?? '').toString())).toMatchObject({
    type: 'invoice.paid',
    data: PAID.payload,
  });
});

it('says what the catalogue reports of a message that was taken', async () => {
  const { api, publisher } = await open();
  const type = { validate: 'warn', schema: { properties: { amount: { maximum: 1 } } } };
  await api.call('PUT /v1/event-types/{name}', { name: 'invoice.paid' }, type);
  const { reported } = await publisher.publish(PAID);
  const detail = 'data breaks the schema of invoice.paid: /amount maximum';
  expect(reported).toEqual({ error: 'schema_mismatch', detail });
});

it('sends a raw body byte for byte', async () => {
  const { api, publisher } = await open();
  const raw = new Uint8Array([0x3c, 0xff, 0x00, 0x3e]);
  const { payload: _, ...rest } = PAID;
  await publisher.publish({ ...rest, raw, contentType: 'application/xml' });
  await api.settle();
  expect(Buffer.from(api.sent[0]?.body ?? '').equals(raw)).toBe(true);
});

it('makes one message of it when answers are lost', async () => {
  const { api, publisher } = await open();
  api.fates.push('lose', 'lose');
  const published = await publisher.publish(PAID);
  expect(published).toMatchObject({ duplicate: true, attempts: 3 });
  // A repetition by the caller, who crashed meanwhile.
  expect(await publisher.publish(PAID)).toMatchObject({ id: published.id, duplicate: true, attempts: 1 });
  await api.settle();
  expect(api.sent.map(({ headers }) => headers['webhook-id'])).toEqual([published.id]);
});

it('waits out 429 and 503, not shorter than Retry-After says', async () => {
  const { api, publisher } = await open();
  api.fates.push({ status: 429, headers: { 'retry-after': '1' } }, { status: 503 }, { status: 200, body: '<html>' });
  expect(await publisher.publish(PAID)).toMatchObject({ duplicate: false, attempts: 4 });
  const [first = 0, second = 0, third = 0] = api.seen.map(({ at }) => at);
  expect(second - first).toBeGreaterThan(990);
  // Half of 400 ms at least: its own wait doubles.
  expect(third - second).toBeGreaterThan(190);
});

it('signs each attempt anew, with the credentials of that moment', async () => {
  const sessions = ['one', 'two'];
  const credentials = async () => ({ ...KEYS, sessionToken: sessions.shift() ?? '' });
  const { api, publisher } = await open({ credentials });
  api.fates.push({ status: 500 });
  await publisher.publish(PAID);
  expect(api.seen.map(({ headers }) => headers['x-amz-security-token'])).toEqual(['one', 'two']);
});

it('takes credentials and region of the environment', async () => {
  const { api } = await open();
  vi.stubEnv('AWS_REGION', REGION);
  vi.stubEnv('AWS_ACCESS_KEY_ID', KEYS.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', KEYS.secretAccessKey);
  vi.stubEnv('AWS_SESSION_TOKEN', '');
  expect(await createPublisher({ url: `${api.url}/` }).publish(PAID)).toMatchObject({ duplicate: false });
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', '');
  const failure = await failureOf(createPublisher({ url: api.url }).publish(PAID));
  expect(failure).toBeInstanceOf(PublishDeniedError);
  expect(failure.message).toMatch(/^no AWS credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set/);
  expect(api.seen).toHaveLength(1);
});

it.each([
  ['a wrong secret', { credentials: async () => ({ ...KEYS, secretAccessKey: 'canary-secret' }) }],
  ['another region', { region: 'us-east-1' }],
])('says at once that AWS refused %s, and names what to check', async (_, more) => {
  const { api, publisher } = await open(more);
  const failure = await failureOf(publisher.publish(PAID));
  expect(failure).toBeInstanceOf(PublishDeniedError);
  expect(failure).toMatchObject({ mayRepeat: false, attempts: 1 });
  expect(failure.message).toMatch(/403 Forbidden; check the credentials, the region/);
  expect(JSON.stringify([failure, failure.message, failure.stack])).not.toMatch(/canary|wJalr|in_1042/);
  expect(api.seen).toHaveLength(1);
});

it.each([
  ['the application', { application: 'uid:nobody' }, 404, 'unknown_application', /there is no application uid:nobody/],
  ['the key', { payload: { invoice: 'other', amount: 1 } }, 409, 'key_reused', /was used for another message/],
  [
    'each wrong field',
    { idempotencyKey: 'Ä', maxAttempts: 99 },
    400,
    'invalid_request',
    /key: given .*max_attempts: given 99/,
  ],
  [
    'a large payload',
    { payload: { invoice: 'x'.repeat(270_000), amount: 1 }, idempotencyKey: 'large' },
    413,
    'too_large',
    /at most 262144/,
  ],
] as const)('tells in the words of the API why it refuses %s', async (_, change, status, error, message) => {
  const { api, publisher } = await open();
  await publisher.publish(PAID);
  const failure = await failureOf(publisher.publish({ ...PAID, ...change }));
  expect(failure).toBeInstanceOf(PublishRefusedError);
  expect(failure).toMatchObject({ status, mayRepeat: false, attempts: 1, problem: { error } });
  expect(failure.message).toMatch(message);
  if (error === 'invalid_request')
    expect((failure as PublishRefusedError).problem.details.map(({ path }) => path)).toEqual(['key', 'max_attempts']);
  expect(api.seen).toHaveLength(2);
});

it('says of an answer that is not of this API that the address may be wrong', async () => {
  const { api, publisher } = await open();
  api.fates.push({ status: 301, headers: { location: 'https://elsewhere.example.com' } });
  const moved = await failureOf(publisher.publish(PAID));
  expect(moved).toMatchObject({ status: 301, message: expect.stringContaining('is url the output DeliveryApiUrl?') });
  const wrong = createPublisher({ url: `${api.url}/prod`, region: REGION, credentials: async () => KEYS });
  expect(await failureOf(wrong.publish(PAID))).toMatchObject({ status: 404, problem: { error: undefined } });
});

it.each([
  [
    'nothing answers a request',
    ['hang', 'hang', 'hang', 'hang', 'hang', 'hang'],
    { attemptMs: 100 },
    /timeout|timed out|aborted/i,
  ],
  ['it is told to come back too late', [{ status: 429, headers: { 'retry-after': '60' } }], {}, /answered 429/],
] as const)(
  'gives up by its deadline when %s, and says that the key makes a repetition safe',
  async (_, fates, more, why) => {
    const { api, publisher } = await open({ deadlineMs: 500, ...more });
    api.fates.push(...fates);
    const lived = livedTime();
    const failure = await failureOf(publisher.publish(PAID));
    expect(lived()).toBeLessThan(1_500);
    expect(failure).toBeInstanceOf(PublishUnansweredError);
    expect(failure.message).toMatch(/publish it again with the same key/);
    expect(failure.message).toMatch(why);
    expect(failure).toMatchObject({ mayRepeat: true, attempts: api.seen.length });
  },
);

it('names why no connection was made', async () => {
  const { api, publisher } = await open({ deadlineMs: 300 });
  await api.close();
  expect((await failureOf(publisher.publish(PAID))).message).toMatch(/fetch failed: ECONNREFUSED/);
});

it('ends when the caller no longer wants it', async () => {
  const { api, publisher } = await open();
  api.fates.push('hang', { status: 429, headers: { 'retry-after': '20' } });
  const reason = new Error('the request ended');
  for (const _ of [1, 2]) {
    const caller = new AbortController();
    // Late enough that the request was sent, on a busy machine, too.
    setTimeout(() => caller.abort(reason), 500);
    expect(await failureOf(publisher.publish(PAID, { signal: caller.signal }))).toBe(reason);
  }
  expect(api.seen).toHaveLength(2);
});

it('publishes many within its concurrency, and tells of each what became of it', async () => {
  const { api, publisher } = await open();
  api.fates.push('lose');
  const messages = Array.from({ length: 30 }, (_, n) => ({
    ...PAID,
    application: n === 7 ? 'uid:nobody' : 'uid:acme',
    idempotencyKey: `in_${n}`,
    payload: { invoice: `in_${n}`, amount: n },
  }));
  const results = await publisher.publishAll(messages, { concurrency: 4 });
  expect(results.map(({ ok }) => ok)).toEqual(messages.map((_, n) => n !== 7));
  expect(results[7]).toMatchObject({ ok: false, error: { problem: { error: 'unknown_application' } } });
  expect(api.most()).toBeGreaterThan(1);
  expect(api.most()).toBeLessThanOrEqual(4);
  await api.settle();
  const bodies = api.sent.map(({ headers, body }) => [
    headers['webhook-id'],
    JSON.parse(Buffer.from(body).toString()).data.amount,
  ]);
  const ids = results.flatMap((each, n) => (each.ok ? [[each.published.id, n]] : []));
  expect(bodies.sort()).toEqual(ids.sort());
  expect(await publisher.publishAll([])).toEqual([]);
});

it('begins nothing of a batch after the deadline', async () => {
  const { api, publisher } = await open({ deadlineMs: 200 });
  api.fates.push('hang');
  const results = await publisher.publishAll([PAID, { ...PAID, idempotencyKey: 'b' }], { concurrency: 1 });
  expect(results).toMatchObject([
    { ok: false, error: { attempts: 1 } },
    { ok: false, error: { attempts: 0, message: expect.stringContaining('before the first attempt') } },
  ]);
  // A busy machine may not have heard even the first one by then.
  expect(api.seen.length).toBeLessThan(2);
});

it.each([
  [{ url: 'http://api.example.com' }, /url: given "http:\/\/api.example.com"; allowed: https/],
  [{ url: 'abc.execute-api.eu-central-1.amazonaws.com' }, /url: given/],
  [{ url: 'https://user:canary@api.example.com' }, /url: given/],
  [{ deadlineMs: 0 }, /deadlineMs: given 0/],
  [{ attemptMs: Number.NaN }, /attemptMs: given NaN/],
  [{ url: 'https://api.example.com', region: '' }, /region: given none/],
])('refuses %j when it is made', (options, message) => {
  vi.stubEnv('AWS_REGION', '');
  expect(() => createPublisher({ url: 'https://x.execute-api.eu-central-1.amazonaws.com', ...options })).toThrow(
    message,
  );
});

it.each([
  ['a name without uid:', { application: 'acme' }, RangeError, /application: given "acme"; allowed: app_… or uid:…/],
  ['no payload', { payload: undefined }, TypeError, /payload of invoice.paid: given undefined/],
  ['a bigint', { payload: { invoice: 1n } }, TypeError, /BigInt/],
])('refuses a message with %s before anything is sent', async (_, change, kind, message) => {
  const { api, publisher } = await open();
  const failure = await failureOf(publisher.publish({ ...PAID, ...change } as never));
  expect(failure).toBeInstanceOf(kind);
  expect(failure.message).toMatch(message);
  expect(api.seen).toHaveLength(0);
});

it('lets the compiler refuse an unknown type, and a payload of another type', () => {
  type Publish = Publisher<Events>['publish'];
  type Given = Parameters<Publish>[0];
  expectTypeOf(PAID).toExtend<Given>();
  expectTypeOf({ ...PAID, type: 'user.left' as const }).not.toExtend<Given>();
  expectTypeOf({ ...PAID, type: 'invoice.piad' as const }).not.toExtend<Given>();
  expectTypeOf({ ...PAID, type: 'anything' as const }).toExtend<Parameters<Publisher['publish']>[0]>();
});

it('loads no code of the gateway beside its signer', () => {
  const files = [...distancesFrom('sdk/publish/index.ts').keys()].filter(path => !path.startsWith('sdk/publish/'));
  expect(files.sort()).toEqual([
    'adapters/aws/client-settings.ts',
    'adapters/aws/kept-connections.ts',
    'adapters/aws/sign-for-iam.ts',
    'core/glossary.ts',
    'core/retry/judge-http-answer.ts',
    'core/retry/retry-after.ts',
    'core/scan/json-object.ts',
    'core/time.ts',
  ]);
});

it.each([
  ['a lost answer', '', ['lose']],
  ['the token of a session', 'FwoGZXIvYXdzEJr//w+/==', []],
] as const)(
  'the curl of docs/send/publish.md publishes the same, signed, as one message: with %s',
  async (_, session, fates) => {
    const { api } = await open();
    const page = readFileSync(new URL('../../../docs/send/publish.md', import.meta.url), 'utf8');
    const command = /^```bash\n(curl [\s\S]*?)^```/m.exec(page)?.[1] ?? 'false';
    api.fates.push(...fates);
    const env = {
      ...{
        PATH: process.env['PATH'],
        AWS_REGION: REGION,
        AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
        AWS_SESSION_TOKEN: session,
      },
      ...{ AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey, DELIVERY_API_URL: api.url, APP_ID: api.app },
    };
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
    expect(JSON.parse(stdout)).toMatchObject({ id: expect.stringMatching(/^msg_/), duplicate: fates.length > 0 });
    expect(api.seen).toHaveLength(fates.length + 1);
    await api.settle();
    expect(api.sent).toHaveLength(1);
  },
);

it.each([Number.NaN, 0, -1, 0.5])('publishes all with a concurrency of %d', async concurrency => {
  const { publisher } = await open();
  const results = await publisher.publishAll([PAID], { concurrency });
  expect(results.map(({ ok }) => ok)).toEqual([true]);
});
