/** What a caller may get wrong, or try: nobody else's data, servers or later messages are touched by it. */
import { describe, expect, it } from 'vitest';
import { answerApi } from '#core/outbound/api/answer-api.ts';
import { DELIVERY_ROUTES } from '#core/outbound/api/api-routes.ts';
import type { ItemStore, ItemWrite } from '#core/outbound/ports.ts';
import { DAY_MS } from '#core/time.ts';
import { type Json, producerWorld, withEndpoint } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';
const REPLAY = `POST ${E}/deliveries/{msg}/replay` as const;
const message = (key: string): string => `{"key":"${key}","type":"invoice.paid","data":{"amount":1}}`;

describe('DELETE of an endpoint', () => {
  it('says that it was not done where every transaction met another one', async () => {
    const world = await withEndpoint();
    const { store, app, ep } = world;
    const busy = new Proxy(store, {
      get: (target, name) =>
        name === 'transact'
          ? async (_: readonly ItemWrite[]) => ({ kind: 'conflict' as const })
          : (Reflect.get(target, name, target) as ItemStore['get']),
    });
    const reply = await answerApi({
      ...{ route: `DELETE ${E}`, path: { app, ep }, query: {}, body: undefined },
      ...{ caller: 'arn:test', ports: { ...world.ports, store: busy }, rules: world.rules },
    });
    expect(reply.status).toBe(503);
    expect((await world.call(`GET ${E}`, { app, ep })).status).toBe(200);
  });
});

describe('a rotation', () => {
  it('without a grace is always possible: a secret that became known must go', async () => {
    const { call, app, ep } = await withEndpoint();
    const rotate = (grace_seconds: number) => call(`POST ${E}/secret/rotate`, { app, ep }, { grace_seconds });
    for (let n = 0; n < 2; n++) expect((await rotate(86_400)).status).toBe(201);
    expect((await rotate(86_400)).body.error).toBe('too_many_secrets');
    const fresh = await rotate(0);
    expect(fresh.status).toBe(201);
    const later = await call(`GET ${E}/secret`, { app, ep });
    expect(later.body.data.map((each: Json) => each.key_id)).toContain(fresh.body.key_id);
  });

  it('without a grace leaves one secret alive', async () => {
    const { call, app, ep, pass } = await withEndpoint();
    for (const grace_seconds of [86_400, 86_400, 0])
      await call(`POST ${E}/secret/rotate`, { app, ep }, { grace_seconds });
    pass(1);
    expect((await call(`GET ${E}/secret`, { app, ep })).body.data).toHaveLength(1);
  });
});

describe('a time to come', () => {
  const at = (ms: number): string => new Date(Date.parse('2026-11-22T08:00:00Z') + ms).toISOString();

  it('is not taken for the backlog that enabling drops: messages of tomorrow would be dropped unseen', async () => {
    const { call, publish, settle, sent, app, ep } = await withEndpoint();
    await call(`POST ${E}/disable`, { app, ep }, {});
    const refused = await call(`POST ${E}/enable`, { app, ep }, { backlog: 'since', since: at(DAY_MS) });
    expect([refused.status, refused.body.detail]).toEqual([400, 'since: give a time that is over']);
    // A clock that is ahead by seconds means now.
    const taken = await call(`POST ${E}/enable`, { app, ep }, { backlog: 'since', since: at(30_000) });
    expect(taken.status).toBe(200);
    await publish(app, message('fresh'));
    await settle();
    expect(sent).toHaveLength(1);
  });

  it('is not taken for a replay job: later jobs would leave alone what it replayed', async () => {
    const { call, app } = await withEndpoint();
    const job = await call('POST /v1/replay-jobs', {}, { app, as_of: at(DAY_MS) });
    expect([job.status, job.body.detail]).toEqual([400, 'as_of: give a time that is over']);
    expect((await call('POST /v1/replay-jobs', {}, { app, as_of: at(30_000) })).body.as_of).toBe(at(0));
  });
});

it('says of an endpoint that is open already that no backlog of it is dropped, but knows its own request again', async () => {
  const { call, app, ep, clock, pass } = await withEndpoint();
  const at = { app, ep };
  const enable = async (body: Json) => (await call(`POST ${E}/enable`, at, body)).status;
  const since = new Date(clock.now() - DAY_MS).toISOString();
  const dropping = [{ backlog: 'drop' }, { backlog: 'since', since }];
  for (const body of dropping) expect(await enable(body)).toBe(409);
  for (const body of [...dropping, { backlog: 'drain' }]) {
    await call(`POST ${E}/disable`, at, {});
    for (const _ of ['first', 'again']) {
      expect(await enable(body)).toBe(200);
      pass(1_000);
    }
  }
  // What was dropped once stays so.
  expect([await enable({ backlog: 'drop' }), await enable({ backlog: 'since', since })]).toEqual([409, 200]);
  const { detail } = (await call(`POST ${E}/enable`, at, { backlog: 'drop' })).body;
  expect(detail).toContain('the endpoint is open');
});

it('counts a ping of ?verify=true as a test: whoever may make endpoints calls no server of somebody else at will', async () => {
  const { call, app, sent, answer } = await withEndpoint();
  answer(500);
  const ping = () =>
    call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://victim.example.org/' }, { verify: 'true' });
  for (let n = 0; n < 10; n++) expect((await ping()).status).toBe(422);
  expect((await ping()).status).toBe(429);
  expect(sent).toHaveLength(10);
});

it('copies no message of one application to an endpoint of another one, but a broadcast that it got', async () => {
  const { call, publish, settle, sent, app, ep } = await withEndpoint();
  const other = (await call('POST /v1/apps', {}, { name: 'Other', uid: 'other' })).body.id as string;
  const theirs = (await publish(other, message('secret'))).body.id as string;
  await settle();
  const copied = await call(REPLAY, { app, ep, msg: theirs }, { request_id: 'r1', as_new: true });
  expect([copied.status, copied.body.error]).toEqual([404, 'unknown_delivery']);
  await settle();
  expect(sent).toHaveLength(0);
  await call('POST /v1/apps', {}, { name: 'All', uid: 'broadcast' });
  const all = (await publish(undefined, message('news'))).body.id as string;
  await settle();
  expect(sent).toHaveLength(1);
  expect((await call(REPLAY, { app, ep, msg: all }, { request_id: 'r2', as_new: true })).status).toBe(202);
  await settle();
  expect(sent).toHaveLength(2);
});

it('copies each message that is asked for, also under the name of one request, and none that is a key of somebody', async () => {
  const { call, publish, settle, sent, app, ep } = await withEndpoint();
  const copy = async (msg: string) =>
    (await call(REPLAY, { app, ep, msg }, { request_id: 'all', as_new: true })).body.message as string;
  const [one, two] = [(await publish(app, message('1'))).body.id, (await publish(app, message('2'))).body.id];
  const copies = [await copy(one), await copy(two), await copy(one)];
  expect([copies[0] === copies[2], new Set(copies).size]).toEqual([true, 2]);
  await settle();
  expect(sent).toHaveLength(4);
  const key = JSON.stringify({ key: `as_new:${ep}:all`, type: 'a', data: 1 });
  expect((await publish(app, key)).status).toBe(202);
});

it('refuses a media type that no header and no item holds', async () => {
  const { publish, app } = await withEndpoint();
  const raw = (content_type: string): string => JSON.stringify({ key: 'k', type: 'a', raw: 'aGk=', content_type });
  expect((await publish(app, raw(`text/${'x'.repeat(300)}`))).status).toBe(400);
  expect((await publish(app, raw(`text/plain${'; a=b'.repeat(60)}`))).status).toBe(400);
  expect((await publish(app, raw('text/plain; charset=utf-8'))).status).toBe(202);
});

it('takes a schedule and a version away from an application by null', async () => {
  const { call } = producerWorld();
  const given = { name: 'Acme', schedule: [5, 60], default_api_version: '2026-01-01' };
  const made = (await call('POST /v1/apps', {}, given)).body;
  expect([made.schedule, made.default_api_version]).toEqual([[5, 60], '2026-01-01']);
  const at = { app: made.id };
  const kept = await call('PATCH /v1/apps/{app}', at, { name: 'Acme Ltd' });
  expect([kept.body.schedule, kept.body.default_api_version]).toEqual([[5, 60], '2026-01-01']);
  const gone = await call('PATCH /v1/apps/{app}', at, { schedule: null, default_api_version: null });
  expect([gone.body.schedule, gone.body.default_api_version]).toEqual([null, null]);
  expect((await call('POST /v1/apps', {}, { ...given, schedule: null })).body.schedule).toBeNull();
});

it('knows no id of thousands of characters: that is no outage of the table, which takes no such key', async () => {
  const { call, publish, app, ep } = await withEndpoint();
  expect((await publish('x'.repeat(3_000), message('k1'))).status).toBe(404);
  const job = { from: '2026-11-21T08:00:00Z', to: '2026-11-22T08:00:00Z', why: 'x' };
  for (const given of [{ app: 'x'.repeat(3_000) }, { app, endpoint: 'x'.repeat(3_000) }])
    expect([400, 404]).toContain((await call('POST /v1/replay-jobs', {}, { ...job, ...given })).status);
  for (const route of DELIVERY_ROUTES)
    for (const [, name = ''] of route.matchAll(/\{(\w+)\}/g))
      for (const long of ['x'.repeat(3_000), `uid:${'é'.repeat(3_000)}`]) {
        const { status } = await call(
          route,
          { app, ep, msg: 'msg_1', [name]: long },
          route.startsWith('GET') ? undefined : {},
        );
        expect([400, 404], `${route} ${name} ${status}`).toContain(status);
      }
});

describe('a body of thousands of names', () => {
  // A function answers with at most 6 MB.
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`~${n.toString(36)}`, 0]));

  it.each([
    ['its own', names(6_500)],
    ['of a field', { rate: names(6_500) }],
    ['of headers', { headers: names(6_500) }],
  ])('is told of the first of them, and how many there are: %s', async (_, body) => {
    const { call, app } = await withEndpoint();
    const refused = await call(
      'POST /v1/apps/{app}/endpoints',
      { app },
      { url: 'https://hooks.customer.com/in', ...body },
    );
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body).length).toBeLessThan(50_000);
    expect(refused.body.detail).toContain('6500');
  });

  it('is told of the first of them, where it is published', async () => {
    const { publish, app } = await withEndpoint();
    const refused = await publish(app, JSON.stringify({ key: 'k', type: 'a', data: 1, ...names(30_000) }));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body).length).toBeLessThan(50_000);
    expect(refused.body.detail).toContain('30000');
  });
});
