/** docs/api/delivery-openapi.json, held to the code's routes and to a real reply for each success and each error. */
import { describe, expect, it } from 'vitest';
import { DELIVERY_ROUTES, PUBLISH_ROUTES } from '#core/outbound/api/api-routes.ts';
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import { eraseSome } from '#core/outbound/erase/erase.ts';
import { applicationKey, controlKey } from '#core/outbound/protocol/keys.ts';
import { SUMMARY, summaryOf } from '#core/outbound/tend/summary.ts';
import { MINUTE_MS } from '#core/time.ts';
import { ApiDocument } from '#test/kit/api-document.ts';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';
import { errorsOf, ROUTES } from './delivery-document.ts';

type Route = keyof typeof ROUTES;
const E = '/v1/apps/{app}/endpoints/{ep}';
const TOKEN = `tok_${'0'.repeat(32)}`;
const LARGE = 'x'.repeat(70_000);

/** Two callers at one moment, each of which the other test suites meet: no single caller can show these. */
const RACES = [
  'PUT /v1/apps/{app} 409 uid_taken',
  'PUT /v1/apps/{app} 409 version_changed',
  'PATCH /v1/apps/{app} 409 version_changed',
  'POST /v1/apps/{app}/endpoints 409 version_changed',
  'DELETE /v1/apps/{app}/portal-tokens 409 version_changed',
  'DELETE /v1/apps/{app}/portal-tokens/{token} 409 version_changed',
  'POST /v1/apps/{app}/contacts 409 version_changed',
  'DELETE /v1/apps/{app}/contacts/{contact} 409 version_changed',
  `PUT ${E} 409 uid_taken`,
  `PUT ${E} 404 unknown_endpoint`,
  `POST ${E}/secret/rotate 409 version_changed`,
  `POST ${E}/secret/activate 409 version_changed`,
  `POST ${E}/disable 409 gate_closed`,
  `POST ${E}/deliveries/{msg}/replay 409 already_replayed`,
  `POST ${E}/deliveries/{msg}/replay 409 gate_closed`,
];

/** A world whose every call is judged by the document. */
function judged() {
  const world = producerWorld();
  const document = new ApiDocument('delivery-openapi.json');
  const shown = new Set<string>();
  const wrong: string[] = [];
  const judge = (route: string, { status, body }: { status: number; body: Json }): { status: number; body: Json } => {
    for (const each of document.judgeReply(route, status, body)) wrong.push(`${route} ${status}: ${each}`);
    if (status >= 400) shown.add(`${route} ${status} ${body.error}`);
    return { status, body };
  };
  const call: typeof world.call = async (route, path, body, query = {}) => {
    const reply = await world.call(route, path, body, query);
    if (reply.status < 300)
      for (const each of document.judgeRequest(route, query, body ?? {})) wrong.push(`${route} request: ${each}`);
    return judge(route, reply);
  };
  const publish = async (
    app: string | undefined,
    body: string,
    given = {},
  ): Promise<{ status: number; body: Json }> => {
    const route = app === undefined ? 'POST /v1/broadcasts' : 'POST /v1/apps/{app}/messages';
    return judge(route, await world.publish(app, body, given));
  };
  return { ...world, document, shown, wrong, call, publish };
}

describe('docs/api/delivery-openapi.json', () => {
  it('has every route of the code, and no other', () => {
    const routes = [...new ApiDocument('delivery-openapi.json').operations.keys()];
    expect(routes.sort()).toEqual([...DELIVERY_ROUTES, ...PUBLISH_ROUTES].sort());
    expect(routes).toHaveLength(58);
  });

  it('describes real replies: each success and each error of each route, and every field was seen', async () => {
    const world = judged();
    const { call, publish, settle, answer, pass, wakeUps, store } = world;

    // 1. Applications.
    const app = (await call('POST /v1/apps', {}, { name: 'Acme', uid: 'acme' })).body.id as string;
    await call('POST /v1/apps', {}, { name: 'Again', uid: 'acme' });
    await call(
      'PUT /v1/apps/{app}',
      { app: 'uid:new' },
      {
        name: 'New',
        limits: { endpoints: 1, publish_per_second: 1_000, payload_bytes: 50_000, retention_days: 3 },
        schedule: [5, 60],
      },
    );
    await call('PUT /v1/apps/{app}', { app: 'uid:new' }, { name: 'Newer', default_api_version: 'v2' });
    await call('PATCH /v1/apps/{app}', { app }, { metadata: { plan: 'gold' }, format: 'standard' });
    await call('GET /v1/apps/{app}', { app });
    await call('GET /v1/apps', {}, undefined, { limit: '1' });

    // 2. Endpoints, full of settings.
    const full = {
      ...{ url: 'https://hooks.customer.com/in', types: ['invoice.*'], channels: ['eu'], uid: 'billing' },
      ...{ filter: { all: [{ path: 'data.amount', op: 'gt', value: 1 }] }, headers: { 'x-tenant': 'a' } },
      ...{ schedule: '34-hours', rate: { per_second: 5, burst: 10 }, batch: { max_events: 5, max_bytes: 10_000 } },
      ...{ auto_disable_days: false, metadata: { a: 1 }, description: 'Billing', mode: 'live', alg: 'sha256' },
      compatibility: { like: 'convoy', header: 'x-acme-signature', hash: 'sha512', encoding: 'base64', timed: true },
    };
    await call('POST /v1/apps/{app}/endpoints', { app }, full);
    await call('POST /v1/apps/{app}/endpoints', { app }, { ...full, description: 'another' });
    const made = await call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://a.customer.com/' });
    const ep = made.body.id as string;
    const at = { app, ep };
    answer(500);
    await call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://v.customer.com/' }, { verify: 'true' });
    answer(200);
    await call('POST /v1/apps/{app}/endpoints', { app }, { url: 'http://a.customer.com/' });
    await call(
      'PUT /v1/apps/{app}/endpoints/{ep}',
      { app: 'uid:new', ep: 'uid:one' },
      { url: 'https://n.customer.com/' },
    );
    await call(
      'PUT /v1/apps/{app}/endpoints/{ep}',
      { app: 'uid:new', ep: 'uid:one' },
      { url: 'https://o.customer.com/' },
    );
    await call(
      'PUT /v1/apps/{app}/endpoints/{ep}',
      { app: 'uid:new', ep: 'uid:one' },
      { url: 'https://o.customer.com/', alg: 'sha256' },
    );
    await call(
      'PUT /v1/apps/{app}/endpoints/{ep}',
      { app: 'uid:new', ep: 'uid:two' },
      { url: 'https://o.customer.com/' },
    );
    await call('PUT /v1/apps/{app}/endpoints/{ep}', { app, ep: 'uid:two' }, { url: 'https://127.0.0.1/' });
    await call('POST /v1/apps/{app}/endpoints', { app: 'uid:new' }, { url: 'https://o.customer.com/' });
    await call(`PATCH ${E}`, at, { description: 'Changed', max_concurrency: 5, if_version: 1 });
    await call(`PATCH ${E}`, at, { description: 'Changed', if_version: 1 });
    await call(`PATCH ${E}`, at, { url: 'https://localhost/' });
    await call(`PATCH ${E}`, { app, ep: 'uid:billing' }, { max_concurrency: 5 });
    await call(`GET ${E}`, { app, ep: 'uid:billing' });
    const any = { any: [{ path: 'data.amount', op: 'gt', value: 1 }] };
    await call('PUT /v1/apps/{app}/endpoints/{ep}', { app, ep: 'uid:any' }, { url: full.url, filter: any });
    await call(`PATCH ${E}`, { app, ep: 'uid:any' }, { mode: 'test' });
    await call(`GET ${E}`, { app, ep: 'uid:any' });
    await call(`DELETE ${E}`, { app, ep: 'uid:any' });
    await call('GET /v1/apps/{app}/endpoints', { app }, undefined, { limit: '1', state: 'ok' });
    await call(`GET ${E}/health`, at);
    await call(`POST ${E}/test`, at, { type: 'a.b', data: { x: 1 } });
    for (let n = 0; n < 10; n++) await call(`POST ${E}/test`, at, {});
    await call(`GET ${E}/tests`, at, undefined, { limit: '2' });

    // 3. Secrets and the gate.
    await call(`GET ${E}/secret`, at);
    await call(`POST ${E}/secret/rotate`, at, { grace_seconds: 60, request_id: 'r1' });
    await call(`POST ${E}/secret/rotate`, at, {});
    await call(`POST ${E}/secret/rotate`, at, {});
    await call(`POST ${E}/secret/activate`, at, {});
    const other = { app, ep: 'uid:billing' };
    for (const act of [
      'pause',
      'enable',
      'resume',
      'disable',
      'pause',
      'resume',
      'trial',
      'enable',
      'trial',
    ] as const) {
      await call(`POST ${E}/${act}`, other, act === 'trial' ? {} : { why: 'test' });
      if (act === 'disable') await call(`POST ${E}/test`, other, {});
    }

    // 4. Messages, deliveries, attempts, replays.
    answer(503);
    const body = '{"key":"k1","type":"invoice.paid","data":{"amount":5},"sequence":"7"}';
    const msg = (await publish(app, body)).body.id as string;
    await publish(app, body.replace('5', '6'));
    await publish(app, '{"key":"k2","type":"other","data":{}}', { eventTypes: 'declared' });
    await settle();
    await call(`POST ${E}/deliveries/{msg}/replay`, { ...at, msg }, { request_id: 'r1' });
    await call(`GET ${E}/health`, at);
    await call(`GET ${E}`, at);
    for (const act of ['pause', 'resume'] as const) await call(`POST ${E}/${act}`, at, {});
    answer(200);
    pass(60_000);
    wakeUps.push({ v: 1, ep: ep as never });
    await settle();
    await call('GET /v1/apps/{app}/messages/{msg}/deliveries', { app, msg });
    await call(`GET ${E}/deliveries`, at, undefined, { status: 'delivered', code_class: '2xx', limit: '1' });
    await call('GET /v1/apps/{app}/deliveries', { app }, undefined, { endpoint: ep });
    await call('GET /v1/apps/{app}/deliveries', { app }, undefined, { endpoint: 'ep_none' });
    await call('GET /v1/apps/{app}/messages/{msg}/deliveries', { app, msg }, undefined, { endpoint: 'ep_none' });
    await call(`GET ${E}/deliveries/{msg}/attempts`, { ...at, msg });
    await call(`POST ${E}/deliveries/{msg}/replay`, { ...at, msg }, { request_id: 'r2', why: 'test' });
    await call('GET /v1/apps/{app}/messages', { app }, undefined, { type: 'invoice.paid' });
    // The feed ends two minutes before now.
    pass(120_000);
    await call('GET /v1/apps/{app}/feed', { app }, undefined, { limit: '2' });
    await call('GET /v1/apps/{app}/messages/{msg}', { app, msg });
    await call('GET /v1/apps/{app}/messages/{msg}/body', { app, msg });
    await call('POST /v1/apps/{app}/messages/match', { app }, { type: 'invoice.paid', data: { amount: 5 } });
    await call('POST /v1/apps/{app}/secrets/reseal', { app }, undefined, { limit: '1' });
    await call('GET /v1/stats', {}, undefined, { app, endpoint: ep });
    await call('GET /v1/summary');
    const counts = {
      endpoints: 3,
      withTraffic: 1,
      onHold: 1,
      failing: 1,
      disabled: 1,
      paused: 0,
      died: 2,
      dead: 1,
      waiting: 12,
      oldestWaiting: 1,
      lost: 0,
    };
    await store.put({ kind: 'put', key: controlKey(SUMMARY), item: summaryOf(counts, 2) });
    const guard = { value: JSON.stringify({ held: 25, counted: 21, withTraffic: 90, at: 2 }), version: 1 };
    await store.put({ kind: 'put', key: controlKey(EGRESS), item: { ...guard, until: Number.MAX_SAFE_INTEGER } });
    await call('GET /v1/summary');
    await store.delete(controlKey(EGRESS));

    // Of kind pull.
    const pull = {
      app,
      ep: (await call('POST /v1/apps/{app}/endpoints', { app }, { kind: 'pull', uid: 'pull' })).body.id,
    };
    await call('PUT /v1/apps/{app}/endpoints/{ep}', { app, ep: 'uid:pull' }, { types: ['invoice.*'] });
    await call(`GET ${E}`, pull);
    await publish(app, body.replace('k1', 'k9'));
    await settle();
    const { cursor } = (await call(`GET ${E}/messages`, pull, undefined, { limit: '1' })).body;
    await call(`POST ${E}/ack`, pull, { cursor });
    await call(`GET ${E}/messages`, pull);
    await call(`POST ${E}/ack`, pull, { cursor: 'another' });
    await call(`GET ${E}/messages`, at);
    await call(`POST ${E}/ack`, at, { cursor });
    for (const act of ['test', 'trial', 'secret/rotate', 'secret/activate'] as const)
      await call(`POST ${E}/${act}`, pull, {});
    await call(`POST ${E}/pause`, pull, {});
    await call(`GET ${E}/messages`, pull);
    await call(`GET ${E}/deliveries`, pull);

    // 5. Jobs and the catalogue.
    const job = (await call('POST /v1/replay-jobs', {}, { app, endpoint: ep, types: ['invoice.paid'], dry_run: true }))
      .body.id;
    for (const to of ['pause', 'resume', 'cancel', 'pause', 'resume'] as const)
      await call(`POST /v1/replay-jobs/{job}/${to}`, { job }, {});
    const done = (await call('POST /v1/replay-jobs', {}, { app })).body.id;
    await call('POST /v1/replay-jobs/{job}/pause', { job: done }, {});
    await call('POST /v1/replay-jobs/{job}/resume', { job: done }, {});
    const record = { table: 'registry', pk: `J#${done}`, sk: 'META' } as const;
    const item = await store.get<Record<string, unknown>>(record, 'consistent');
    await store.put({ kind: 'put', key: record, item: { ...item, state: 'done' } });
    await call('POST /v1/replay-jobs/{job}/cancel', { job: done }, {});
    await call('GET /v1/replay-jobs', {}, undefined, { limit: '1' });
    await call('GET /v1/replay-jobs/{job}', { job });
    const type = {
      description: 'Paid',
      schema: { type: 'object' },
      example: { amount: 1 },
      group: 'money',
      validate: 'reject',
      ...{ version: 'v2', deprecated: true, ends_at: '2027-01-31T00:00:00.000Z', replacement: 'order.placed' },
      earlier: [{ version: 'v1', schema: { type: 'object' }, example: {} }],
    };
    await call('PUT /v1/event-types/{name}', { name: 'order.made' }, type);
    await call('GET /v1/event-types/{name}', { name: 'order.made' });
    await call('GET /v1/event-types', {}, undefined, {});
    await publish(app, '{"key":"k3","type":"order.made","data":5}');
    await publish(app, '{"key":"k3","type":"order.made","data":{},"api_version":"v9"}');
    await call('PUT /v1/event-types/{name}', { name: 'order.seen' }, { schema: { type: 'object' }, validate: 'warn' });
    await publish(app, '{"key":"k4","type":"order.seen","data":5}');

    // 6. Portal tokens.
    await call(
      'POST /v1/apps/{app}/portal-tokens',
      { app },
      { read_only: true, subject: 'ada', expires_in_seconds: 60 },
    );
    for (let n = 0; n <= 50; n++)
      await call('DELETE /v1/apps/{app}/portal-tokens/{token}', { app, token: `tok_${String(n).padStart(32, '0')}` });
    await call('DELETE /v1/apps/{app}/portal-tokens', { app });
    world.portalAt(undefined);
    await call('POST /v1/apps/{app}/portal-tokens', { app }, {});
    world.portalAt('https://api.acme.com/portal');

    // Contacts: made, asked again, too many in an hour, one mail a day, taken away; none where there are none.
    const contacts = 'POST /v1/apps/{app}/contacts';
    const contact = (await call(contacts, { app }, { url: 'https://told.customer.com/' })).body.id as string;
    await call(contacts, { app }, { url: 'https://told.customer.com/' });
    await call(contacts, { app }, { email: 'ops@customer.com' });
    await call(contacts, { app }, { email: 'ops@customer.com' });
    await call(contacts, { app }, { url: 'https://127.0.0.1/' });
    await call('GET /v1/apps/{app}/contacts', { app });
    await call('DELETE /v1/apps/{app}/contacts/{contact}', { app, contact });
    await call('DELETE /v1/apps/{app}/contacts/{contact}', { app, contact });
    world.contactsMayBe(['url']);
    await call(contacts, { app }, { email: 'ops@customer.com' });
    world.contactsMayBe(undefined);
    await call(contacts, { app }, {});
    await call('GET /v1/apps/{app}/contacts', { app });
    await call('DELETE /v1/apps/{app}/contacts/{contact}', { app, contact });
    world.contactsMayBe(['url', 'email']);

    // Broadcasts.
    await publish(undefined, body);
    const cast = (await call('POST /v1/apps', {}, { name: 'All', uid: 'broadcast' })).body.id as string;
    await publish(undefined, body);
    await publish(undefined, body.replace('5', '6'));
    await publish(undefined, '{"key":"k2","type":"other2","data":{}}', { eventTypes: 'declared' });
    await publish(undefined, '{"key":"k3","type":"order.made","data":5}');
    await publish(undefined, '{"key":"k3","type":"order.made","data":{},"api_version":"v9"}');

    // Both answer 429 above their limit.
    for (const [to, id] of [
      [app, app],
      [undefined, cast],
    ] as const) {
      await call('PATCH /v1/apps/{app}', { app: id }, { limits: { publish_per_second: 1 } });
      for (const key of ['fast1', 'fast2']) await publish(to, `{"key":"${key}","type":"a","data":1}`);
      await call('PATCH /v1/apps/{app}', { app: id }, { limits: {} });
    }

    // 7. What is not there, not a field, too large.
    const nowhere = { app: 'app_none', ep: 'uid:none', msg: 'msg_none', job: 'job_none', name: 'a b', token: TOKEN };
    for (const route of DELIVERY_ROUTES) {
      const wanted = errorsOf(route);
      const given = ROUTES[route].body === undefined ? undefined : bodyFor(route);
      const has = (status: number, error: string): boolean => wanted[status]?.includes(error) ?? false;
      const query: Record<string, string> = route === 'GET /v1/stats' ? { app: 'app_none' } : {};
      const someJob = route === 'POST /v1/replay-jobs';
      if (has(404, 'unknown_application'))
        await call(
          route,
          nowhere,
          someJob ? { app: 'app_none' } : given,
          route === 'DELETE /v1/apps/{app}' ? { erase: 'true' } : query,
        );
      if (has(404, 'unknown_endpoint') && route !== `PUT ${E}`)
        await call(
          route,
          { ...nowhere, app },
          someJob ? { app, endpoint: 'ep_none' } : given,
          route === 'GET /v1/stats' ? { app, endpoint: 'ep_none' } : {},
        );
      if (someJob) await call(route, {}, { app, message: 'msg_none' });
      if (has(404, 'unknown_message')) await call(route, { ...nowhere, app }, given);
      if (has(404, 'unknown_delivery')) {
        const unsent = (await publish(app, `{"key":"${route}","type":"nobody.wants","data":{},"mode":"test"}`)).body.id;
        await settle();
        await call(route, { app, ep, msg: unsent }, given);
      }
      if (has(404, 'unknown_job')) await call(route, nowhere, given);
      if (has(404, 'unknown_type')) await call(route, { name: 'none' }, given);
      const named = { app, ep, msg, job, name: 'order.made' };
      if (has(400, 'invalid_request')) {
        const isType = route.includes('event-types/');
        if (isType) await call(route, nowhere, given);
        else if (given !== undefined) await call(route, named, { colour: 1 });
        else await call(route, named, undefined, { colour: '1', ...query });
      }
      if (has(400, 'invalid_cursor')) await call(route, named, undefined, { cursor: 'x' });
      if (has(413, 'too_large'))
        await call(
          route,
          { ...named, ...(route.startsWith('PUT /v1/apps') ? { app: 'uid:new', ep: 'uid:one' } : {}) },
          { why: LARGE },
        );
    }
    for (const to of [app, undefined]) {
      await publish(to, '{}');
      await publish(to, `{"key":"big","type":"a","data":"${'x'.repeat(400_000)}"}`);
    }
    await publish('app_none', body);
    await call('DELETE /v1/event-types/{name}', { name: 'order.made' });

    await call('GET /v1/apps/{app}/erasure', { app: 'uid:none' });
    const brief = (await call('POST /v1/apps', {}, { name: 'Brief' })).body.id as string;
    await call('DELETE /v1/apps/{app}', { app: brief }, undefined, { erase: 'true' });
    for (let run = 0; run < 2; run++) {
      await eraseSome(world.ports, world.rules.retentionMs, world.clock.now() + 45_000);
      pass(10 * MINUTE_MS);
    }
    await call('GET /v1/apps/{app}/erasure', { app: brief });

    // 8. What is gone.
    await call('DELETE /v1/apps/{app}/messages/{msg}/body', { app, msg });
    await call('GET /v1/apps/{app}/messages/{msg}/body', { app, msg });
    await call(`POST ${E}/deliveries/{msg}/replay`, { ...at, msg }, { request_id: 'r9' });
    await call(`DELETE ${E}`, { app, ep: 'uid:billing' });
    for (const each of [app, cast]) {
      await call('DELETE /v1/apps/{app}', { app: each }, undefined, { erase: 'true', dry_run: 'true' });
      await call('DELETE /v1/apps/{app}', { app: each }, undefined, { erase: 'true' });
      await call('GET /v1/apps/{app}/erasure', { app: each }, undefined, { dry_run: 'true' });
      const key = applicationKey(each as never);
      const there = await store.get(key, 'consistent');
      await store.put({ kind: 'put', key, item: { ...there, state: 'erasing' } as never });
    }
    await publish(app, body);
    await publish(undefined, body);
    await call('PATCH /v1/apps/{app}', { app }, { name: 'X' });
    await call('PUT /v1/apps/{app}', { app: 'uid:acme' }, { name: 'X' });
    await call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://late.customer.com/' });
    await call('PUT /v1/apps/{app}/endpoints/{ep}', { app, ep: 'uid:late' }, { url: 'https://late.customer.com/' });
    await call(`PATCH ${E}`, at, { description: 'late' });
    await call('POST /v1/apps/{app}/portal-tokens', { app }, {});
    await call('DELETE /v1/apps/{app}/portal-tokens', { app });
    await call('DELETE /v1/apps/{app}/portal-tokens/{token}', { app, token: TOKEN });
    await call(contacts, { app }, { url: 'https://late.customer.com/' });
    await call('DELETE /v1/apps/{app}/contacts/{contact}', { app, contact });

    // 9. An outage.
    world.outage(true);
    for (const route of DELIVERY_ROUTES) {
      const query: Record<string, string> =
        route === 'DELETE /v1/apps/{app}' ? { erase: 'true' } : route === 'GET /v1/stats' ? { app } : {};
      const path = {
        app: route === 'PUT /v1/apps/{app}' ? 'uid:x' : app,
        ep: 'uid:y',
        msg,
        job,
        name: 'a',
        token: TOKEN,
      };
      await call(route, path, ROUTES[route].body === undefined ? undefined : bodyFor(route), query);
    }
    await publish(app, body);
    await publish(undefined, body);
    world.outage(false);

    // 10. The account.
    expect(world.wrong).toEqual([]);
    const described = (Object.keys(ROUTES) as Route[]).flatMap(route =>
      Object.entries(errorsOf(route)).flatMap(([status, errors]) => errors.map(error => `${route} ${status} ${error}`)),
    );
    expect(described.filter(each => !world.shown.has(each)).sort()).toEqual([...RACES].sort());
    const races = new Set(RACES.map(each => each.split(' ').slice(0, 3).join(' ')));
    expect(world.document.unseen().filter(each => !races.has(each))).toEqual([]);
  });
});

/** The least that each route's body must have. */
function bodyFor(route: Route): unknown {
  if (route === 'POST /v1/apps' || route === 'PUT /v1/apps/{app}') return { name: 'N' };
  if (/^(POST|PUT) .*\/(endpoints(\/\{ep\})?|contacts)$/.test(route)) return { url: 'https://z.customer.com/' };
  if (route.endsWith('/replay')) return { request_id: 'r' };
  if (route.endsWith('/match')) return { type: 'a' };
  if (route.endsWith('/ack')) return { cursor: 'c' };
  if (route === 'POST /v1/replay-jobs') return { app: 'uid:acme' };
  return {};
}
