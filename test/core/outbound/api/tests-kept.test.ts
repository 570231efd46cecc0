/** A test of an endpoint is kept: a customer sees later what was sent and what the server said. */
import { expect, it } from 'vitest';
import { given } from '#core/given.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import { secretsKey } from '#core/outbound/protocol/keys.ts';
import { DAY_MS } from '#core/time.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';

async function tested() {
  const world = await withEndpoint();
  const { app, ep, call } = world;
  const test = (given: Json = {}) => call(`POST ${E}/test`, { app, ep }, given);
  const list = async (query: Record<string, string> = {}): Promise<Json> =>
    (await call(`GET ${E}/tests`, { app, ep }, undefined, query)).body;
  return { ...world, test, list };
}

it('lists tests with the request and the answer, the newest first, page by page', async () => {
  const { call, app, ep, answer, say, sent, test, list, pass } = await tested();
  await call(`PATCH ${E}`, { app, ep }, { headers: { 'X-Token': 'canary' } });
  expect((await list()).data).toEqual([]);
  await test();
  pass(5_000);
  answer(401);
  say('who are you?');
  await test({ type: 'invoice.paid', data: { amount: 5 } });
  const { data } = await list();
  expect(data.map((each: Json) => [each.type, each.class, each.code])).toEqual([
    ['invoice.paid', 'denied', 401],
    ['test.webhook', 'ok', 200],
  ]);
  const [{ id, request, response, timings_ms: timings }] = data;
  expect(id).toBe(sent[1]?.headers['webhook-id']);
  expect(request).toMatchObject({
    url: 'https://hooks.customer.com/in',
    headers: { 'x-webhook-test': 'true', 'x-token': '***' },
    body: new TextDecoder().decode(sent[1]?.body),
  });
  expect(response).toMatchObject({ body: 'who are you?', truncated: false });
  expect(timings).toEqual({ total: 5 });
  const first = await list({ limit: '1' });
  expect((await list({ limit: '1', cursor: first.cursor })).data).toEqual([data[1]]);
});

it('leaves no delivery, no attempt and no failure of the endpoint', async () => {
  const { call, app, ep, answer, test } = await tested();
  answer(500);
  for (let n = 0; n < 6; n++) await test();
  expect((await call(`GET ${E}/deliveries`, { app, ep })).body.data).toEqual([]);
  expect((await call(`GET ${E}/health`, { app, ep })).body).toMatchObject({ breaker: 'closed', last_failure: null });
});

it('keeps no value of a header of the endpoint, and no long body', async () => {
  const { call, app, ep, store, test, list } = await tested();
  await call(`PATCH ${E}`, { app, ep }, { headers: { 'X-Token': 'canary' } });
  expect((await test({ data: 'x'.repeat(20_000) })).status).toBe(200);
  expect((await list()).data[0].request.body).toBeNull();
  expect(JSON.stringify(await store.scan('outbox', { segment: 0, of: 1 }))).not.toContain('canary');
});

it('goes with the retention of its application', async () => {
  const { call, app, store, test, clock } = await tested();
  await call('PATCH /v1/apps/{app}', { app }, { limits: { retention_days: 3 } });
  await test();
  const { items } = await store.scan('outbox', { segment: 0, of: 1 });
  const days = items.map(({ expiresAt }) => (Number(expiresAt) * 1_000 - clock.now()) / DAY_MS);
  expect(days).toEqual([10]);
});

it.each([
  ['standard', (body: Json) => expect(body).toMatchObject({ type: 'test.webhook', data: { of: 1 } })],
  ['raw', (body: Json) => expect(body).toEqual({ of: 1 })],
  ['plain', (body: Json) => expect(Object.keys(body)).toEqual(['id', 'type', 'api_version', 'created_at', 'data'])],
  ['object', (body: Json) => expect(body).toMatchObject({ object: 'event', pending_webhooks: 1, data: { of: 1 } })],
  ['cloudevents', (body: Json) => expect(body).toMatchObject({ specversion: '1.0', data: { of: 1 } })],
])('a test has the form of its application, %s, whole and thin', async (format, check) => {
  const { call, app, ep, sent } = await withEndpoint();
  await call('PATCH /v1/apps/{app}', { app }, { format });
  const test = () => call('POST /v1/apps/{app}/endpoints/{ep}/test', { app, ep }, { data: { of: 1 } });
  const parsed = (): Json => JSON.parse(new TextDecoder().decode(sent.at(-1)?.body));
  expect((await test()).body.success).toBe(true);
  check(parsed());
  const type = format === 'cloudevents' ? 'application/cloudevents+json' : 'application/json';
  expect(sent.at(-1)?.headers['content-type']).toBe(type);
  await call('PATCH /v1/apps/{app}/endpoints/{ep}', { app, ep }, { payload: 'thin' });
  await test();
  expect('data' in parsed()).toBe(false);
  if (format === 'raw') check(parsed());
});

it('sends nothing of an endpoint that is deleted before its secrets are read', async () => {
  const { test, ep, store, sent } = await tested();
  // Another caller's, between two reads of this one.
  await store.delete(secretsKey(ep as EndpointId));
  const { status, body } = await test();
  expect([status, body.error, sent]).toEqual([404, 'unknown_endpoint', []]);
});

it('fits in the answer of a function, however long the bodies are and how many of them are asked for', async () => {
  const { app, ep, say, test, pass, call } = await tested();
  // Each of these letters is two in JSON, and four in the JSON around that.
  say('"'.repeat(10_240));
  for (let n = 0; n < 120; n++) {
    expect((await test({ data: '"'.repeat(4_900) })).status).toBe(200);
    pass(6_000);
  }
  const sizes: number[] = [];
  let cursor: string | undefined;
  let seen = 0;
  do {
    const asked = { limit: '250', ...given({ cursor }) };
    const { body } = await call(`GET ${E}/tests`, { app, ep }, undefined, asked);
    sizes.push(JSON.stringify({ body: JSON.stringify(body) }).length);
    seen += body.data.length;
    cursor = body.cursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toBe(120);
  expect(Math.max(...sizes)).toBeLessThan(6_000_000);
});
