/** What a customer sees of a hold, of the last failure, and of a publication that is no text. */
import { describe, expect, it } from 'vitest';
import { answerApi } from '#core/outbound/api/answer-api.ts';
import type { DeliveryRoute } from '#core/outbound/api/api-routes.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { attemptsRange, runtimeKey } from '#core/outbound/protocol/keys.ts';
import { toIso } from '#core/time.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';

it('shows the later of the schedule and the hold as the next retry, never a time that is past, and why', async () => {
  const { app, ep, call, publish, settle, pass, answer, store, clock } = await withEndpoint();
  const shown = async () => (await call(`GET ${E}/deliveries`, { app, ep })).body.data[0];
  answer(422);
  await publish(app, '{"key":"k","type":"a","data":1}');
  await settle();
  expect(await shown()).toMatchObject({ status: 'retrying', held: false, held_until: null, held_why: null });
  pass(60_000);
  expect((await shown()).next_retry_at).toBe(toIso(clock.now()));
  const holdUntil = clock.now() + 600_000;
  const set = { holdUntil, holdWhy: 'throttled' as const };
  await store.update({ kind: 'update', key: runtimeKey(ep as EndpointId), set });
  const until = toIso(holdUntil);
  expect(await shown()).toMatchObject({ held: true, held_until: until, held_why: 'throttled', next_retry_at: until });
  await call(`POST ${E}/pause`, { app, ep }, {});
  expect(await shown()).toMatchObject({ held: true, held_until: null, held_why: 'paused', next_retry_at: null });
});

it('says of an endpoint that fails when its next retry comes, and of one that has nothing to retry that none does', async () => {
  const { app, ep, call, publish, settle, pass, answer } = await withEndpoint();
  const shown = async () => (await call(`GET ${E}`, { app, ep })).body;
  answer(422);
  await publish(app, '{"key":"k","type":"a","data":1}');
  await settle();
  const { next_retry_at } = (await call(`GET ${E}/deliveries`, { app, ep })).body.data[0];
  expect(await shown()).toMatchObject({ state: 'failing', next_trial_at: next_retry_at });
  pass(3_600_000);
  expect(await shown()).toMatchObject({ state: 'failing', next_trial_at: null });
});

it('keeps class and code of the last failure after a success', async () => {
  const { app, ep, call, publish, settle, pass, answer } = await withEndpoint();
  answer(422);
  await publish(app, '{"key":"k","type":"a","data":1}');
  await settle();
  answer(200);
  pass(10_000);
  await publish(app, '{"key":"l","type":"a","data":1}');
  await settle();
  const { body } = await call(`GET ${E}/health`, { app, ep });
  expect(body.last_success_at).not.toBeNull();
  expect(body.last_failure).toMatchObject({ class: 'message_refused', code: 422 });
});

it('refuses what is no UTF-8, and stores nothing', async () => {
  const { app, call, publish } = await withEndpoint();
  const bytes = new TextEncoder().encode('{"key":"k","type":"a","data":"x"}');
  bytes[bytes.indexOf(0x78)] = 0xff;
  const { status, body } = await publish(app, bytes);
  expect([status, body.detail]).toEqual([400, expect.stringContaining('not UTF-8')]);
  expect((await call('GET /v1/apps/{app}/messages', { app })).body.data).toEqual([]);
});

it('keeps the first throttled request of a hold, and how many followed, in two writes', async () => {
  const { app, ep, call, publish, settle, pass, answer, wakeUps, store } = await withEndpoint();
  answer(429);
  const msg = (await publish(app, '{"key":"k","type":"a","data":1}')).body.id as MessageId;
  await settle();
  const attempts = async () => (await call(`GET ${E}/deliveries/{msg}/attempts`, { app, ep, msg })).body.data;
  expect(await attempts()).toMatchObject([{ kind: 'throttled', code: 429, class: 'throttled', further: 0 }]);
  const again = async (): Promise<void> => {
    pass(900_000);
    wakeUps.push({ v: 1, ep: ep as EndpointId });
    await settle();
  };
  for (let n = 0; n < 3; n++) await again();
  expect(await attempts()).toMatchObject([{ kind: 'throttled', further: 3 }]);
  const stored = async () => (await store.query(attemptsRange(ep as EndpointId, msg))).items.map(it => it.further);
  expect(await stored(), 'one write for the first, none for the others').toEqual([undefined]);
  answer(200);
  await again();
  expect(await stored()).toEqual([3]);
  expect(await attempts()).toMatchObject([{ in_words: expect.stringContaining('next 3 requests') }, { class: 'ok' }]);
});

it('keeps the headers of a success, in the record', async () => {
  const { app, ep, call, publish, settle, answerWith, store } = await withEndpoint();
  await call(`PATCH ${E}`, { app, ep }, { headers: { 'x-key': 'top-secret-1' } });
  answerWith({ 'x-request-id': ['r-1'], 'x-echo': ['top-secret-1'] });
  const msg = (await publish(app, '{"key":"k","type":"a","data":1}')).body.id as MessageId;
  await settle();
  const { data } = (await call(`GET ${E}/deliveries/{msg}/attempts`, { app, ep, msg })).body;
  expect(data).toMatchObject([
    {
      request: { url: 'https://hooks.customer.com/in', headers: { 'webhook-id': msg, 'x-key': '***' } },
      response: { headers: { 'x-request-id': 'r-1', 'x-echo': '***' } },
    },
  ]);
  expect((await store.query(attemptsRange(ep as EndpointId, msg))).items, 'no write of its own').toEqual([]);
});

it('shows values of the headers of an endpoint to nobody, also where the receiver echoes them', async () => {
  const { app, ep, call, publish, settle, answer, say } = await withEndpoint();
  const { body } = await call(`PATCH ${E}`, { app, ep }, { headers: { authorization: 'Bearer top-secret-1' } });
  expect(body.headers).toEqual({ authorization: '…' });
  answer(422);
  say('you sent Bearer top-secret-1');
  const msg = (await publish(app, '{"key":"k","type":"a","data":1}')).body.id;
  await settle();
  const shown = [
    await call(`GET ${E}`, { app, ep }),
    await call('GET /v1/apps/{app}/endpoints', { app }),
    await call(`GET ${E}/deliveries`, { app, ep }),
    await call(`GET ${E}/deliveries/{msg}/attempts`, { app, ep, msg }),
    await call(`POST ${E}/test`, { app, ep }, {}),
    await call(`GET ${E}/tests`, { app, ep }),
  ];
  expect(JSON.stringify(shown)).not.toContain('top-secret');
  expect(shown[3]?.body.data[0].response.body).toBe('you sent ***');
});

it('counts what is dead now, and what ever died', async () => {
  const { app, ep, call, publish, settle, pass, answer, wakeUps } = await withEndpoint();
  await call('PATCH /v1/apps/{app}', { app }, { schedule: [5] });
  answer(422);
  const sent: string[] = [];
  for (const key of ['k', 'l']) sent.push((await publish(app, `{"key":"${key}","type":"a","data":1}`)).body.id);
  await settle();
  pass(60_000);
  wakeUps.push({ v: 1, ep: ep as EndpointId });
  await settle();
  const health = async () => (await call(`GET ${E}/health`, { app, ep })).body;
  expect(await health()).toMatchObject({ dead: 2, dead_more: false, died: 2 });
  answer(200);
  await call(`POST ${E}/deliveries/{msg}/replay`, { app, ep, msg: sent[0] ?? '' }, { request_id: 'r' });
  await settle();
  expect(await health()).toMatchObject({ dead: 1, dead_more: false, died: 2 });
});

it('shows an application with the uid that the producer gave it, and without one as null', async () => {
  const { call } = await withEndpoint();
  for (const uid of ['acme-7', null]) {
    const { body } = await call('POST /v1/apps', {}, { name: 'Acme', ...(uid && { uid }) });
    expect(body.uid).toBe(uid);
    expect((await call('GET /v1/apps/{app}', { app: body.id })).body).toMatchObject({ id: body.id, uid });
  }
});

describe('data of a body', () => {
  const BIG = '9007199254740993';
  const data = `{"id":${BIG}, "rate":1.10}`;
  async function world() {
    const { ports, rules, app, call, ...it } = await withEndpoint();
    const ask = async (route: DeliveryRoute, ep: string, body: string): Promise<Json> => {
      const reply = await answerApi({ route, path: { app, ep }, query: {}, body, caller: 'arn:test', ports, rules });
      return JSON.parse(reply.body);
    };
    return { ...it, app, call, ask };
  }

  it('is judged by a filter as a message would be: no number loses a digit', async () => {
    const { ask, call, publish, settle, sent, app } = await world();
    const filter = { all: [{ path: 'id', op: 'eq', value: BIG }] };
    const { id } = (await call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://a.customer.com/', filter }))
      .body;
    const judged = await ask('POST /v1/apps/{app}/messages/match', '', `{"type":"a","data":${data}}`);
    expect(judged.endpoints.find((each: Json) => each.endpoint === id)).toMatchObject({ matches: true });
    await publish(app, `{"key":"k","type":"a","data":${data}}`);
    await settle();
    expect(sent.map(({ url }) => url)).toContain('https://a.customer.com/');
  });

  it('is sent in a test as it would be in a message, also where it is null', async () => {
    const { ask, sent, ep } = await world();
    for (const given of [data, 'null', '{"a":1,"a":2}']) {
      const { request } = await ask('POST /v1/apps/{app}/endpoints/{ep}/test', ep, `{"type":"a","data":${given}}`);
      expect(new TextDecoder().decode(sent.at(-1)?.body)).toContain(`"data":${given}}`);
      expect(request.body).toContain(`"data":${given}}`);
    }
  });
});
