/**
 * The producer's API over stores in memory and the real engine: what is made is shown, what is published is sent, signed,
 * retried, replayed; every refusal says what to do.
 */
import { describe, expect, it, vi } from 'vitest';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const PUBLISHED = '{"key":"inv-1","type":"invoice.paid","data":{"amount":12345678901234567890.10}}';

describe('the producer', () => {
  it('publishes once per key, and the bytes of data go out as they were given, signed', async () => {
    const { app, ep, publish, settle, sent, call, secret } = await withEndpoint();
    expect(secret).toMatch(/^whsec_/);
    const first = await publish('uid:acme', PUBLISHED);
    expect([first.status, first.body.duplicate]).toEqual([202, false]);
    expect(await publish(app, PUBLISHED)).toMatchObject({ status: 202, body: { id: first.body.id, duplicate: true } });
    expect(await publish(app, PUBLISHED.replace('10}', '11}'))).toMatchObject({
      status: 409,
      body: { error: 'key_reused' },
    });
    await settle();
    expect(sent).toHaveLength(1);
    expect(new TextDecoder().decode(sent[0]?.body)).toContain('"data":{"amount":12345678901234567890.10}}');
    expect(sent[0]?.headers).toMatchObject({ 'webhook-id': first.body.id, 'x-webhook-event': 'invoice.paid' });
    const { body } = await call('GET /v1/apps/{app}/endpoints/{ep}/deliveries', { app, ep });
    expect(body.data).toMatchObject([
      { message: first.body.id, status: 'delivered', attempt_count: 1, replayable: true },
    ]);
    expect(body.data[0].last_attempt).toMatchObject({ status: 200, class: 'ok', snippet: 'said' });
    const shown = await call('GET /v1/apps/{app}/messages/{msg}', { app, msg: first.body.id });
    expect(shown.body).toMatchObject({ type: 'invoice.paid', application: app });
  });

  it('is answered the same when it asks again for an endpoint of a uid, until something of it is another', async () => {
    const { app, ep, call } = await withEndpoint();
    const make = (given: object) => call('POST /v1/apps/{app}/endpoints', { app }, { ...wanted, ...given });
    const wanted = { uid: 'crm', url: 'https://crm.customer.com/', headers: { 'X-B': '1', 'X-A': '2' } };
    const first = await make({});
    expect(first.status).toBe(201);
    expect(await make({})).toEqual(first);
    expect(await make({ headers: { 'X-A': '2', 'X-B': '1' }, secret: first.body.secret })).toEqual(first);
    const list = await call('GET /v1/apps/{app}/endpoints', { app });
    expect(new Set(list.body.data.map(({ id }: Json) => id))).toEqual(new Set([ep, first.body.id]));
    const taken = { status: 409, body: { error: 'uid_taken' } };
    expect(await make({ url: 'https://crm2.customer.com/' })).toMatchObject(taken);
    expect(await make({ secret: `whsec_${'YQ'.repeat(22)}` })).toMatchObject(taken);
    const path = { app, ep: first.body.id };
    await call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', path, {});
    expect(await make({})).toMatchObject(taken);
    const other = await make({ uid: 'erp' });
    await call('PATCH /v1/apps/{app}/endpoints/{ep}', { app, ep: other.body.id }, { description: 'theirs' });
    expect(await make({ uid: 'erp', description: 'theirs' })).toMatchObject(taken);
  });

  it('sees a failed attempt, its retry, and the success', async () => {
    const { app, ep, publish, settle, call, answer, pass, wakeUps } = await withEndpoint();
    answer(503);
    const msg = (await publish(app, PUBLISHED)).body.id as string;
    await settle();
    const deliveries = async () => (await call('GET /v1/apps/{app}/messages/{msg}/deliveries', { app, msg })).body.data;
    expect(await deliveries()).toMatchObject([{ status: 'retrying', attempt_count: 1, replayable: false }]);
    answer(200);
    pass(10_000);
    wakeUps.push({ v: 1, ep });
    await settle();
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempt_count: 2 }]);
    const path = { app, ep, msg };
    const attempts = (await call('GET /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/attempts', path)).body.data;
    expect(attempts.map((each: Json) => [each.code, each.attempt])).toEqual([
      [503, 1],
      [200, 2],
    ]);
    const health = await call('GET /v1/apps/{app}/endpoints/{ep}/health', { app, ep });
    expect(health.body).toMatchObject({ state: 'ok', breaker: 'closed', waiting: { count: 0 }, success_rate_24h: 0.5 });
  });

  it('sees of what waits how many are retries: a replay that waits is none', async () => {
    const { app, ep, publish, settle, call, answer } = await withEndpoint();
    const first = (await publish(app, PUBLISHED)).body.id as string;
    await settle();
    answer(422);
    await publish(app, PUBLISHED.replace('inv-1', 'inv-2'));
    await settle();
    const path = { app, ep, msg: first };
    await call('POST /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/replay', path, { request_id: 'r1' });
    const { waiting } = (await call('GET /v1/apps/{app}/endpoints/{ep}/health', { app, ep })).body;
    expect(waiting).toMatchObject({ count: 2, retrying: 1 });
  });

  it('sees of a failed attempt what was sent, without the value of a header that the endpoint set', async () => {
    const { app, ep, publish, settle, call, answer, store, sent } = await withEndpoint();
    await call('PATCH /v1/apps/{app}/endpoints/{ep}', { app, ep }, { headers: { 'X-Token': 'canary' } });
    answer(422);
    const msg = (await publish(app, PUBLISHED)).body.id as string;
    await settle();
    expect(sent[0]?.headers['x-token']).toBe('canary');
    const path = { app, ep, msg };
    const [attempt] = (await call('GET /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/attempts', path)).body.data;
    expect(attempt.request.headers).toMatchObject({ 'x-token': '***', 'webhook-id': msg });
    expect(JSON.stringify(await store.scan('outbox', { segment: 0, of: 1 }))).not.toContain('canary');
  });

  it('replays what is over, once per request, under the same id', async () => {
    const { app, ep, publish, settle, call, sent } = await withEndpoint();
    const msg = (await publish(app, PUBLISHED)).body.id as string;
    const replay = (id: string) =>
      call('POST /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/replay', { app, ep, msg }, { request_id: id });
    await settle();
    expect(await replay('r1')).toMatchObject({ status: 202, body: { generation: 2 } });
    expect(await replay('r1')).toMatchObject({ status: 202, body: { generation: 2 } });
    await settle();
    expect(sent.map(({ headers }) => headers['webhook-id'])).toEqual([msg, msg]);
    // Somebody else replays it, and then the first request comes again: it is known.
    expect(await replay('r2')).toMatchObject({ status: 202, body: { generation: 3 } });
    await settle();
    expect(await replay('r1')).toMatchObject({ status: 202, body: { generation: 2 } });
    await settle();
    expect(sent).toHaveLength(3);
  });

  it('pauses and resumes: nothing goes out between, all of it after', async () => {
    const { app, ep, publish, settle, call, sent } = await withEndpoint();
    const path = { app, ep };
    expect((await call('POST /v1/apps/{app}/endpoints/{ep}/pause', path, { why: 'moving' })).body).toMatchObject({
      ...{ gate: 'paused', state: 'paused', why: 'moving' },
    });
    await publish(app, PUBLISHED);
    await settle();
    expect(sent).toEqual([]);
    const waiting = await call('GET /v1/apps/{app}/endpoints/{ep}/deliveries', path, undefined, { status: 'pending' });
    expect(waiting.body.data).toMatchObject([{ status: 'pending', held: true }]);
    await call('POST /v1/apps/{app}/endpoints/{ep}/resume', path, {});
    await settle();
    expect(sent).toHaveLength(1);
  });

  it('rotates a secret: both sign, the new one first, and no list shows either', async () => {
    const { app, ep, publish, settle, call, sent, secret } = await withEndpoint();
    const path = { app, ep };
    const rotated = await call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', path, { grace_seconds: 60 });
    expect(rotated.status).toBe(201);
    await publish(app, PUBLISHED);
    await settle();
    expect(sent[0]?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(sent[0]?.headers['x-webhook-key-id']).toBe(rotated.body.key_id);
    const list = await call('GET /v1/apps/{app}/endpoints', { app });
    expect(JSON.stringify(list.body)).not.toContain(secret.slice(6));
    const revealed = await call('GET /v1/apps/{app}/endpoints/{ep}/secret', path);
    expect(revealed.body.data.map((key: Json) => key.secret)).toEqual([rotated.body.secret, secret]);
  });

  it.each([
    [{ url: 'http://hooks.customer.com' }, 422, 'address_not_allowed', 'https://'],
    [{ url: 'https://127.0.0.1/' }, 422, 'address_not_allowed', 'a name'],
    [{ url: 'https://api.acme.com/x' }, 422, 'address_not_allowed', 'this deployment itself'],
    [{ url: 'https://a.customer.com', headers: { Host: 'x' } }, 400, 'invalid_request', 'headers.Host'],
    [{ url: 'https://a.customer.com', headers: { 'X-A': '1', 'x-a': '2' } }, 400, 'invalid_request', 'headers.x-a'],
    [{ url: 'https://a.customer.com', types: ['**'], timeout_seconds: 31 }, 400, 'invalid_request', 'timeout_seconds'],
    [{ url: 'https://a.customer.com', secret: 'whsec_x' }, 400, 'invalid_request', 'secret'],
    [{ url: 'https://a.customer.com', colour: 1 }, 400, 'invalid_request', 'an unknown key'],
  ])('is told what is wrong with the endpoint %j', async (given, status, error, said) => {
    const { app, call } = await withEndpoint();
    const reply = await call('POST /v1/apps/{app}/endpoints', { app }, given);
    expect([reply.status, reply.body.error]).toEqual([status, error]);
    expect(reply.body.detail).toContain(said);
  });

  it('lists endpoints by state, and says when one was changed', async () => {
    const { app, ep, call, pass } = await withEndpoint();
    const at = { app, ep };
    const other = await call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://other.customer.com/' });
    await call('POST /v1/apps/{app}/endpoints/{ep}/pause', { app, ep: other.body.id }, { why: 'a test' });
    const listed = async (state: string) =>
      (await call('GET /v1/apps/{app}/endpoints', { app }, undefined, { state })).body.data.map(
        (each: Json) => each.id,
      );
    expect([await listed('untried'), await listed('paused'), await listed('ok')]).toEqual([[ep], [other.body.id], []]);
    const wrong = await call('GET /v1/apps/{app}/endpoints', { app }, undefined, { state: 'open' });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'state' }] } });
    const before = (await call('GET /v1/apps/{app}/endpoints/{ep}', at)).body;
    expect(before.updated_at).toBe(before.created_at);
    pass(60_000);
    // A gate is no part of the configuration.
    await call('POST /v1/apps/{app}/endpoints/{ep}/pause', at, { why: 'a test' });
    expect((await call('GET /v1/apps/{app}/endpoints/{ep}', at)).body.updated_at).toBe(before.created_at);
    const after = (await call('PATCH /v1/apps/{app}/endpoints/{ep}', at, { description: 'new' })).body;
    expect(Date.parse(after.updated_at) - Date.parse(before.updated_at)).toBe(60_000);
  });

  it('finds nothing of another application, and takes no cursor of another list', async () => {
    const { app, ep, call } = await withEndpoint();
    const other = (await call('POST /v1/apps', {}, { name: 'Other' })).body.id as string;
    expect((await call('GET /v1/apps/{app}/endpoints/{ep}', { app: other, ep })).status).toBe(404);
    await call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://b.customer.com/' });
    const page = await call('GET /v1/apps/{app}/endpoints', { app }, undefined, { limit: '1' });
    const cursor = page.body.cursor as string;
    expect((await call('GET /v1/apps/{app}/endpoints', { app }, undefined, { cursor })).body.data).toHaveLength(1);
    const stolen = await call('GET /v1/apps/{app}/endpoints', { app: other }, undefined, { cursor });
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_cursor']);
  });

  it('asks no endpoint for a message that is none of a broadcast', async () => {
    const { app, call, publish, store } = await withEndpoint();
    const other = (await call('POST /v1/apps', {}, { name: 'Other' })).body.id as string;
    await call('POST /v1/apps/{app}/endpoints', { app: other }, { url: 'https://b.customer.com/' });
    const { id: msg } = (await publish(app, '{"key":"k1","type":"invoice.paid","data":{}}')).body;
    const asked = vi.spyOn(store, 'getMany');
    const pages = vi.spyOn(store, 'query');
    for (const route of ['messages/{msg}', 'messages/{msg}/body', 'messages/{msg}/deliveries'] as const)
      expect((await call(`GET /v1/apps/{app}/${route}`, { app: other, msg })).status).toBe(404);
    expect([asked.mock.calls.length, pages.mock.calls.length]).toEqual([0, 0]);
  });

  it('pins a new endpoint to the default version of its application, until the endpoint says another', async () => {
    const { app, call, publish, settle, sent } = await withEndpoint();
    await call('PATCH /v1/apps/{app}', { app }, { default_api_version: 'v2' });
    const make = async (url: string, more: Json = {}): Promise<Json> =>
      (await call('POST /v1/apps/{app}/endpoints', { app }, { url, ...more })).body.api_version;
    expect(await make('https://two.customer.com/')).toBe('v2');
    expect(await make('https://one.customer.com/', { api_version: 'v1' })).toBe('v1');
    await publish(app, '{"key":"k1","type":"invoice.paid","api_version":"v1","data":{}}');
    await settle();
    // The endpoint of before has no version and takes any.
    expect(sent.map(({ url }) => url).sort()).toEqual(['https://hooks.customer.com/in', 'https://one.customer.com/']);
  });

  it('tells in the envelope `object` how many endpoints get the message, and leaves it out of a broadcast', async () => {
    const { app, call, publish, settle, sent } = await withEndpoint();
    const pendingOf = (body: Uint8Array | undefined): unknown =>
      JSON.parse(new TextDecoder().decode(body)).pending_webhooks;
    await call('PATCH /v1/apps/{app}', { app }, { format: 'object' });
    for (const [host, filter] of [
      ['dear', { all: [{ path: 'amount', op: 'gt', value: 100 }] }],
      ['cheap', { all: [{ path: 'amount', op: 'le', value: 100 }] }],
    ] as const)
      await call('POST /v1/apps/{app}/endpoints', { app }, { url: `https://${host}.customer.com/`, filter });
    await publish(app, '{"key":"k1","type":"invoice.paid","data":{"amount":500}}');
    await settle();
    expect(sent.map(({ url }) => url).sort()).toEqual(['https://dear.customer.com/', 'https://hooks.customer.com/in']);
    expect(sent.map(({ body }) => pendingOf(body))).toEqual([2, 2]);
    await call('POST /v1/apps', {}, { name: 'All', uid: 'broadcast', format: 'object' });
    await publish(undefined, '{"key":"k2","type":"invoice.paid","data":{"amount":1}}');
    await settle();
    expect(sent).toHaveLength(4);
    expect(pendingOf(sent[3]?.body)).toBeUndefined();
  });

  it('is told every problem of a message at once', async () => {
    const { app, publish } = await withEndpoint();
    const reply = await publish(app, '{"type":"a b","max_attempts":0}');
    expect(reply.status).toBe(400);
    expect(reply.body.details.map((each: Json) => each.path).sort()).toEqual(['data', 'key', 'max_attempts', 'type']);
  });
});

it('erases the body of one message: what waits ends as canceled, nothing is sent or replayed, and it may be asked again', async () => {
  const world = await withEndpoint();
  const { app, ep, call } = world;
  await call('POST /v1/apps/{app}/endpoints/{ep}/pause', { app, ep }, {});
  const { body: waiting } = await world.publish(app, '{"key":"k1","type":"invoice.paid","data":{"name":"Ada"}}');
  await world.settle();
  for (let times = 0; times < 2; times++) {
    const erased = await call('DELETE /v1/apps/{app}/messages/{msg}/body', { app, msg: waiting.id });
    expect(erased.status).toBe(200);
    expect(erased.body.body_erased_at).toMatch(/^2026-/);
  }
  expect((await call('GET /v1/apps/{app}/messages/{msg}/body', { app, msg: waiting.id })).status).toBe(410);
  expect(JSON.stringify(await world.store.scan('outbox', { segment: 0, of: 1 }))).not.toContain('Ada');
  await call('POST /v1/apps/{app}/endpoints/{ep}/resume', { app, ep }, {});
  await world.settle();
  expect(world.sent).toEqual([]);
  const at = { app, ep, msg: waiting.id };
  const { body } = await call('GET /v1/apps/{app}/messages/{msg}/deliveries', { app, msg: waiting.id });
  expect(body.data[0].status).toBe('canceled');
  const again = await call('POST /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/replay', at, { request_id: 'r1' });
  expect(again.status).toBe(410);
});

it.each([50, 400])('takes data nested %i deep byte for byte, or says how deep it may be', async deep => {
  const { app, publish, settle, sent } = await withEndpoint();
  const data = `${'['.repeat(deep)}${']'.repeat(deep)}`;
  const { status, body } = await publish(app, `{"key":"k","type":"a","data":${data}}`);
  await settle();
  const bodies = sent.map(request => new TextDecoder().decode(request.body));
  if (deep < 64) expect([status, bodies]).toEqual([202, [expect.stringContaining(`"data":${data}}`)]]);
  else expect([status, body['detail'], bodies]).toEqual([400, expect.stringContaining('deeper than 64 levels'), []]);
});
