/** Bad requests at the front door: each has its answer, its counter with the cause, and leaves nothing behind. */
import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { toSourceId } from '#core/glossary.ts';
import { MINUTE_MS } from '#core/time.ts';
import { postmark } from '#providers/postmark.ts';
import { type Delivery, MemoryWorld, PAYLOADS, SECRET } from '#test/kit/memory-world.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { handlerThat } from './support/handlers.ts';
import { noise } from './support/noise.ts';
import { bodiesOf, tracesIn, workOff } from './support/traces.ts';

const NOW_SECONDS = 1_767_571_200;
const REFUSED = '{"error":"invalid_signature","message":"HMAC signature verification failed"}';
const body = '{"event_id":"evt_1"}';
const sign = (timestamp: string, text: string | Buffer): string =>
  `sha256=${createHmac('sha256', SECRET).update(`${timestamp}.`).update(text).digest('hex')}`;
const good = sign(String(NOW_SECONDS), body);
const stamped = (timestamp: string): Delivery['headers'] => ({
  'x-webhook-timestamp': timestamp,
  'x-webhook-signature': sign(timestamp, body),
});

/** Requests that were looked at: nothing stored before verification (I10), only documented answers (I11), exact bytes (I13). */
const looked = { I10: 0, I11: 0, I13: 0 };
afterAll(() => {
  for (const [invariant, runs] of Object.entries(looked)) recordRun([invariant], 'bad-input', runs);
});

function expectNothingStored(world: MemoryWorld): void {
  looked.I10 += 1;
  expect(tracesIn(world)).toEqual([]);
}

describe('a signature or timestamp that does not hold', () => {
  const cases: [string, NonNullable<Delivery['headers']>][] = [
    ['a missing signature', { 'x-webhook-signature': undefined }],
    ['an empty signature', { 'x-webhook-signature': '' }],
    ['a signature of nothing', { 'x-webhook-signature': 'sha256=' }],
    ['a signature without its prefix', { 'x-webhook-signature': good.slice(7) }],
    [
      'a signature in another encoding',
      { 'x-webhook-signature': `sha256=${Buffer.from(good.slice(7), 'hex').toString('base64')}` },
    ],
    ['a signature one digit short', { 'x-webhook-signature': good.slice(0, -1) }],
    ['a signature of another secret', { 'x-webhook-signature': `sha256=${'ab'.repeat(32)}` }],
    ['two signatures', { 'x-webhook-signature': `${good},sha256=${'ab'.repeat(32)}` }],
    ['a signature of a hundred kilobytes', { 'x-webhook-signature': `sha256=${'a'.repeat(100_000)}` }],
    ['a signature with control characters', { 'x-webhook-signature': 'sha256=\u0000\u0007\uffff' }],
    ['a missing timestamp', { 'x-webhook-timestamp': undefined }],
    ['an empty timestamp', stamped('') ?? {}],
    ['a timestamp of no number', stamped('yesterday') ?? {}],
    ['a timestamp in milliseconds', stamped(`${NOW_SECONDS}000`) ?? {}],
    ['a negative timestamp', stamped(`-${NOW_SECONDS}`) ?? {}],
    ['a timestamp with a fraction', stamped(`${NOW_SECONDS}.5`) ?? {}],
    ['a timestamp of thousands of digits', stamped('9'.repeat(5_000)) ?? {}],
    ['two timestamps', stamped(`${NOW_SECONDS},${NOW_SECONDS + 1}`) ?? {}],
    ['a stale timestamp', stamped(String(NOW_SECONDS - 301)) ?? {}],
    ['a timestamp from the future', stamped(String(NOW_SECONDS + 301)) ?? {}],
    ['a timestamp that was not signed', { 'x-webhook-timestamp': String(NOW_SECONDS + 1) }],
  ];
  it.each(cases)('%s is a 401 that tells nothing, stores nothing and is counted', async (_name, headers) => {
    const world = new MemoryWorld();
    const answer = await world.post({ id: 'evt_1', rawBody: body, headers });
    expect(answer).toEqual({ status: 401, body: REFUSED });
    expectNothingStored(world);
    const refusals = world.telemetry.lines.filter(it => it.line['stage'] === 'refused');
    expect(refusals).toHaveLength(1);
    const cause = String(refusals[0]?.line['cause']);
    expect(cause).toMatch(/^[a-z_]+$/);
    expect(world.telemetry.total('RequestRefused', { source: 'default', cause })).toBe(1);
  });

  it('the same request with nothing wrong is accepted', async () => {
    const world = new MemoryWorld();
    expect(await world.post({ id: 'evt_1', rawBody: body, headers: stamped(String(NOW_SECONDS)) ?? {} })).toMatchObject(
      { status: 200 },
    );
  });

  it('a body changed by one byte is a 401', async () => {
    const world = new MemoryWorld();
    const headers = { 'x-webhook-signature': good };
    expect(await world.post({ id: 'evt_1', rawBody: `${body} `, headers })).toEqual({ status: 401, body: REFUSED });
    expectNothingStored(world);
  });
});

describe('a request that is not for this source', () => {
  it('of an unknown source is a 404', async () => {
    const world = new MemoryWorld();
    expect(await world.post({ id: 'evt_1', source: 'nobody' })).toMatchObject({
      status: 404,
      body: expect.stringContaining('unknown_source'),
    });
    expectNothingStored(world);
  });

  it.each([
    ['from outside the allow-list is a 403', { sourceIp: '203.0.113.9' }, 403, 'forbidden_source'],
    ['over the size limit is a 413', { rawBody: 'x'.repeat(1_001) }, 413, 'too_large'],
    ['of a wrong method is a 405', { method: 'DELETE' }, 405, 'method'],
  ])('%s, counted', async (_name, delivery, status, cause) => {
    const world = new MemoryWorld({ source: { allowList: ['198.51.100.0/24'], maxBodyBytes: 1_000 } });
    expect(await world.post({ id: 'evt_1', ...delivery })).toMatchObject({ status });
    expectNothingStored(world);
    expect(world.telemetry.total('RequestRefused', { source: 'default', cause })).toBe(1);
  });

  it('from outside the allow-list is a 401 where the provider never sends again after 403 (Postmark)', async () => {
    const world = new MemoryWorld({ source: { spec: postmark, allowList: ['198.51.100.0/24'] } });
    const answer = await world.post({ id: 'evt_1', sourceIp: '203.0.113.9' });
    expect(answer).toMatchObject({ status: 401, body: expect.stringContaining('forbidden_source') });
    expectNothingStored(world);
  });

  it('of one source never touches the event of another with the same id', async () => {
    const world = new MemoryWorld({ sources: ['a', 'b'] });
    await world.post({ id: 'evt_1', source: 'a' });
    expect(await world.post({ id: 'evt_1', source: 'b' })).toMatchObject({
      body: expect.stringContaining('"accepted"'),
    });
    expect(await workOff(world)).toBe(true);
    expect(
      world
        .items()
        .map(it => `${it.pk} ${it.status}`)
        .sort(),
    ).toEqual(['a#evt_1 completed', 'b#evt_1 completed']);
  });
});

describe('a secret that is not there', () => {
  it('makes its source answer 503, counted, until it is set', async () => {
    const world = new MemoryWorld();
    world.secretValues.set(toSourceId('default'), '');
    expect(await world.post({ id: 'evt_1' })).toMatchObject({
      status: 503,
      body: expect.stringContaining('secret_not_set'),
    });
    expect(world.telemetry.total('RequestRefused', { source: 'default', cause: 'secret_not_set' })).toBe(1);
    expectNothingStored(world);
    world.secretValues.set(toSourceId('default'), SECRET);
    await world.clock.advanceBy(5 * MINUTE_MS);
    expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 200 });
  });

  it('because it cannot be read makes the source fail closed, and the next request tries again', async () => {
    const world = new MemoryWorld();
    world.secretValues.unreachable = true;
    const forged = {
      'x-webhook-signature': `sha256=${createHmac('sha256', '').update(`${NOW_SECONDS}.${body}`).digest('hex')}`,
    };
    for (const headers of [{}, forged]) {
      const answer = await world.post({ id: 'evt_1', rawBody: body, headers });
      expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('secret_unreadable') });
    }
    expect(world.telemetry.total('RequestRefused', { source: 'default', cause: 'secret_unreadable' })).toBe(2);
    expectNothingStored(world);
    world.secretValues.unreachable = false;
    expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 200 });
  });
});

describe('a genuine body of any kind', () => {
  async function accepted(rawBody: Buffer, contentType: string, payloads: unknown[] = []): Promise<MemoryWorld> {
    const seen = handlerThat((_call, event) => {
      payloads.push(event.payload);
      return undefined;
    });
    const world = new MemoryWorld({ handlers: seen });
    expect(await world.post({ id: 'evt_1', rawBody, headers: { 'content-type': contentType } })).toMatchObject({
      status: 200,
    });
    looked.I11 += 1;
    expect(await workOff(world)).toBe(true);
    return world;
  }

  it.each([
    ['not JSON', Buffer.from('hello, world')],
    ['cut off', Buffer.from('{"event_id":"evt_1"')],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
    ['nested a thousand deep', Buffer.from('['.repeat(1_000) + ']'.repeat(1_000))],
  ])('that is %s is kept byte for byte and dead-lettered with the cause', async (_name, rawBody) => {
    const world = await accepted(rawBody, 'application/json');
    const [item] = world.items();
    expect(item).toMatchObject({
      status: 'dead_letter',
      cause: 'unparsable_payload',
      dlqSent: true,
      size: rawBody.length,
      attempts: 1,
    });
    expect(world.dead.dump().map(it => it.attributes)).toEqual([{ cause: 'unparsable_payload' }]);
    expect(world.outside).toEqual([]);
    const [stored] = world.database.dump(PAYLOADS);
    expect(rawBody.equals(nodeCodec.inflate(stored?.['bytes'] as Uint8Array, rawBody.length))).toBe(true);
    looked.I13 += 1;
  });

  it('that is a form reaches the handler as its fields', async () => {
    const payloads: unknown[] = [];
    const world = await accepted(
      Buffer.from('token=a%20b&user=c&user=d'),
      'application/x-www-form-urlencoded',
      payloads,
    );
    expect(payloads).toEqual([{ token: 'a b', user: ['c', 'd'] }]);
    expect(world.items()).toMatchObject([{ status: 'completed' }]);
  });

  it('that is empty, and of another type than JSON, is an event of its own every time', async () => {
    const world = await accepted(Buffer.alloc(0), 'text/html');
    await world.post({ id: 'evt_2', rawBody: '', headers: { 'content-type': 'text/html' } });
    expect(await workOff(world)).toBe(true);
    expect(world.items()).toHaveLength(2);
    expect(new Set(world.items().map(it => it.status))).toEqual(new Set(['completed']));
  });

  it('that comes as text instead of base64 is verified over the same bytes', async () => {
    const world = new MemoryWorld();
    const text = '{"event_id":"evt_1","s":"é 日本"}';
    const request = world.apiEvent({ id: 'evt_1', rawBody: text });
    const outcome = await world.clock.complete(world.ingest.invoke({ ...request, body: text, isBase64Encoded: false }));
    expect(outcome).toMatchObject({ payload: expect.stringContaining('"statusCode":200') });
  });

  it('that differs under a known id is a recorded conflict, and still a 200', async () => {
    const world = new MemoryWorld();
    for (const n of [1, 2, 3]) expect(await world.post({ id: 'evt_1', data: { n } })).toMatchObject({ status: 200 });
    expect(world.telemetry.total('PayloadMismatch', { source: 'default' })).toBe(2);
    expect(bodiesOf(world, 'evt_1')).toBe(3);
  });
});

it.each(['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z'])(
  'an event whose sender writes %s for "no time" is handled: it is not too old',
  async created_at => {
    const world = new MemoryWorld();
    await world.post({ id: 'evt_1', rawBody: JSON.stringify({ event_id: 'evt_1', event_type: 'ping', created_at }) });
    expect(await workOff(world)).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed' });
    expect(world.item('evt_1')?.eventAt).toBeUndefined();
  },
);

it.each(['a/../../../b', '../../..', 'a#b/../%2F', '__proto__', 'é\u0000', 'x'.repeat(1_024)])(
  'a large event with the id %j is stored, handled once and known again',
  async id => {
    const world = new MemoryWorld();
    const delivery = { id, data: { noise: noise(200_000) }, createdAt: world.clock.now() };
    for (const _ of [1, 2]) expect(await world.post(delivery)).toMatchObject({ status: 200 });
    expect(await workOff(world)).toBe(true);
    expect(world.items().map(it => `${it.status} ${it.attempts}`)).toEqual(['completed 1']);
  },
);
