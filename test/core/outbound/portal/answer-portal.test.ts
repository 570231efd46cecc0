/**
 * Who may ask what: every route × (own, other application's, expired, revoked, read-only, without its capability, no token,
 * malformed), with ids of the other application in every place of path, query and body. A refused call changes nothing, and
 * no answer tells anything of the producer's own, or of others. A route without a row fails.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { CAPABILITIES, type Capability } from '#core/outbound/api/portal-token.ts';
import { answerPortal } from '#core/outbound/portal/answer-portal.ts';
import { callsPerSecond } from '#core/outbound/portal/calls-per-second.ts';
import {
  PORTAL_CAPABILITIES,
  PORTAL_ROUTES,
  type PortalRoute,
  publicRoute,
  SESSION_ROUTE,
} from '#core/outbound/portal/portal-routes.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import { endpointKey } from '#core/outbound/protocol/keys.ts';
import type { Reply } from '#core/reply.ts';
import { ApiDocument } from '#test/kit/api-document.ts';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';

type Values = Readonly<Record<string, string>>;
interface Ids {
  readonly app: string;
  readonly ep: string;
  readonly msg: string;
  readonly job: string;
  readonly contact: string;
}
interface Row {
  /** Of the success. */
  readonly status: number;
  /** Its endpoints are of kind pull. */
  readonly pulled?: true;
  /** `cursor`: of a pull endpoint. */
  readonly body?: (own: Ids, cursor: string) => Json;
  readonly query?: (own: Ids) => Values;
  /** The same with ids of the other application in it: each is refused. */
  readonly othersIn?: (own: Ids, other: Ids) => readonly { readonly body?: Json; readonly query?: Values }[];
}
const E = '/v1/apps/{app}/endpoints/{ep}';
const GET: Row = { status: 200 };
const POST: Row = { status: 200, body: () => ({}) };

const ROWS: Readonly<Record<PortalRoute, Row>> = {
  [SESSION_ROUTE]: GET,
  'GET /v1/apps/{app}/endpoints': GET,
  'POST /v1/apps/{app}/endpoints': { status: 201, body: () => ({ url: 'https://new.customer.com/' }) },
  [`GET ${E}`]: GET,
  [`PATCH ${E}`]: { status: 200, body: () => ({ description: 'changed' }) },
  [`DELETE ${E}`]: { status: 204 },
  [`GET ${E}/secret`]: GET,
  [`POST ${E}/secret/rotate`]: { status: 201, body: () => ({ grace_seconds: 60 }) },
  [`POST ${E}/secret/activate`]: POST,
  [`POST ${E}/pause`]: { status: 200, body: () => ({ why: 'moving' }) },
  [`POST ${E}/resume`]: POST,
  [`POST ${E}/disable`]: POST,
  [`POST ${E}/enable`]: { status: 200, body: () => ({ backlog: 'drain' }) },
  [`POST ${E}/trial`]: POST,
  [`POST ${E}/test`]: POST,
  [`GET ${E}/tests`]: GET,
  [`GET ${E}/health`]: GET,
  [`GET ${E}/deliveries`]: { status: 200, query: () => ({ status: 'delivered' }) },
  [`GET ${E}/deliveries/{msg}/attempts`]: GET,
  [`POST ${E}/deliveries/{msg}/replay`]: { status: 202, body: () => ({ request_id: 'r1', why: 'lost it' }) },
  [`GET ${E}/messages`]: { ...GET, pulled: true },
  [`POST ${E}/ack`]: { status: 200, pulled: true, body: (_, cursor) => ({ cursor }) },
  'GET /v1/apps/{app}/deliveries': GET,
  'GET /v1/apps/{app}/messages': GET,
  'GET /v1/apps/{app}/messages/{msg}': GET,
  'GET /v1/apps/{app}/feed': GET,
  'GET /v1/apps/{app}/messages/{msg}/body': GET,
  'GET /v1/apps/{app}/messages/{msg}/deliveries': GET,
  'POST /v1/replay-jobs': {
    status: 202,
    body: ({ app, ep, msg }) => ({ app, endpoint: ep, message: msg, status: 'dead' }),
    othersIn: ({ app, ep }, other) => [
      { body: { app: other.app } },
      { body: { app: 'uid:other' } },
      { body: { app, endpoint: other.ep } },
      { body: { app, endpoint: 'uid:others-own' } },
      { body: { app, endpoint: ep, message: other.msg } },
    ],
  },
  'GET /v1/replay-jobs': GET,
  'GET /v1/replay-jobs/{job}': GET,
  'POST /v1/replay-jobs/{job}/pause': POST,
  'POST /v1/replay-jobs/{job}/resume': POST,
  'POST /v1/replay-jobs/{job}/cancel': POST,
  'GET /v1/event-types': GET,
  'GET /v1/event-types/{name}': GET,
  'GET /v1/apps/{app}/contacts': GET,
  'POST /v1/apps/{app}/contacts': { status: 201, body: () => ({ url: 'https://told.customer.com/' }) },
  'DELETE /v1/apps/{app}/contacts/{contact}': { status: 204 },
  'GET /v1/stats': {
    status: 200,
    query: ({ app, ep }) => ({ app, endpoint: ep }),
    othersIn: ({ app }, other) => [
      { query: { app: other.app } },
      { query: { app: 'uid:other' } },
      { query: { app, endpoint: other.ep } },
      { query: { app, endpoint: 'uid:others-own' } },
    ],
  },
};

const document = new ApiDocument('portal-openapi.json');
/** By docs/api/portal-openapi.json: each reply, and what was given where it was taken. */
function judge(route: PortalRoute, { query = {}, body }: { query?: Values; body?: Json }, reply: Reply): void {
  const at = publicRoute(route);
  const said = reply.body === '' ? undefined : JSON.parse(reply.body);
  expect(document.judgeReply(at, reply.status, said), `${at} ${reply.status}`).toEqual([]);
  if (reply.status < 300) expect(document.judgeRequest(at, query, body ?? {}), `${at} request`).toEqual([]);
}

/** Two applications with an endpoint, a delivered message and a job each; everything of the producer's is marked. */
async function twoApplications() {
  const world = producerWorld();
  const { call, publish, settle } = world;
  const make = async (uid: string): Promise<Ids> => {
    const meta = { note: `canary-metadata-${uid}` };
    const app = (await call('POST /v1/apps', {}, { name: `Name of ${uid}`, uid, metadata: meta })).body.id;
    const made = await call(
      'POST /v1/apps/{app}/endpoints',
      { app },
      {
        ...{ url: `https://hooks.${uid}.com/in`, uid: `${uid}s-own`, metadata: meta, max_concurrency: 7 },
        headers: { 'x-secret': `canary-header-${uid}` },
      },
    );
    const ep = made.body.id as string;
    const body = JSON.stringify({ key: `canary-key-${uid}`, type: 'invoice.paid', data: { of: `body of ${uid}` } });
    const msg = (await publish(app, body)).body.id as string;
    await settle();
    const job = (await call('POST /v1/replay-jobs', {}, { app, why: 'canary-job-why' })).body.id as string;
    const wanted = { url: `https://told.${uid}.com/` };
    const contact = (await call('POST /v1/apps/{app}/contacts', { app }, wanted)).body.id as string;
    return { app, ep, msg, job, contact };
  };
  await call('PUT /v1/event-types/{name}', { name: 'invoice.paid' }, { description: 'Paid', example: { of: 'x' } });
  const [own, other] = [await make('own'), await make('other')];
  const mint = async (given: object = {}, app = own.app): Promise<string> =>
    `Bearer ${(await call('POST /v1/apps/{app}/portal-tokens', { app }, given)).body.token}`;
  const ask = async (
    route: PortalRoute,
    authorization: string | undefined,
    given: { path?: Values; query?: Values; body?: Json } = {},
    mayCall: (app: string, now: number) => boolean = () => true,
  ): Promise<{ status: number; text: string; body: Json; headers: Values }> => {
    const { path = { ...own, name: 'invoice.paid' }, query = {}, body } = given;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { ports, rules } = world;
    const reply = await answerPortal({ route, path, query, body: text, authorization, ports, rules, mayCall });
    const { status, headers } = reply;
    judge(route, given, reply);
    return { status, headers, text: reply.body, body: reply.body === '' ? undefined : JSON.parse(reply.body) };
  };
  /** Everything stored. */
  const stored = async (): Promise<string> => {
    const parts = (['registry', 'outbox'] as const).map(table => world.store.scan(table, { segment: 0, of: 1 }));
    return JSON.stringify(await Promise.all(parts));
  };
  return { ...world, own, other, mint, ask, stored };
}
type World = Awaited<ReturnType<typeof twoApplications>>;

it('has a row for every route, and every route wants a capability', () => {
  expect(Object.keys(ROWS).sort()).toEqual([...PORTAL_ROUTES].sort());
  expect(PORTAL_ROUTES.filter(route => !CAPABILITIES.includes(PORTAL_CAPABILITIES[route]))).toEqual([]);
  // What only reads never changes, and what changes is never for a token that reads.
  for (const route of PORTAL_ROUTES)
    if (!route.startsWith('GET')) expect(['read', 'read_bodies'], route).not.toContain(PORTAL_CAPABILITIES[route]);
});

describe.each(PORTAL_ROUTES)('%s', route => {
  const row = ROWS[route];
  const wanted = PORTAL_CAPABILITIES[route];
  let world: World;
  let cursor = '';
  beforeEach(async () => {
    world = await twoApplications();
    if (!row.pulled) return;
    const { call, publish, settle, own, other } = world;
    const pull = async (ids: Ids): Promise<Ids> => {
      const made = await call('POST /v1/apps/{app}/endpoints', { app: ids.app }, { kind: 'pull' });
      await publish(ids.app, '{"key":"pulled","type":"invoice.paid","data":{}}');
      await settle();
      return { ...ids, ep: made.body.id };
    };
    world = { ...world, own: await pull(own), other: await pull(other) };
    cursor = (await call(`GET ${E}/messages`, { ...world.own })).body.cursor;
  });
  const ownCall = ({ own }: World) => ({
    path: { ...own, name: 'invoice.paid' },
    ...(row.body ? { body: row.body(own, cursor) } : {}),
    ...(row.query ? { query: row.query(own) } : {}),
  });

  it('is refused without a token, with a malformed, an expired, a revoked one, and without its capability', async () => {
    const { ask, mint, call, own, other, pass, stored } = world;
    const given = ownCall(world);
    const short = await mint({ expires_in_seconds: 60 });
    const revoked = await mint();
    await call('DELETE /v1/apps/{app}/portal-tokens', { app: own.app });
    const alive = await mint({ expires_in_seconds: 86_400 });
    const less = await mint({ capabilities: CAPABILITIES.filter(each => each !== wanted) });
    const reading = await mint({ read_only: true });
    const before = await stored();
    const refusals = async (authorization: string | undefined): Promise<string> => {
      const { status, body, headers } = await ask(route, authorization, given);
      expect(headers['content-type']).toBe('application/problem+json');
      return `${status} ${body.error}`;
    };
    expect(await refusals(undefined)).toBe('401 token_missing');
    for (const malformed of [
      'Bearer x',
      'Bearer hfp_',
      `${alive}x`,
      alive.slice(0, -3),
      alive.replace('hfp_', 'hfp_e30'),
    ])
      expect(await refusals(malformed), malformed).toBe('401 token_invalid');
    expect(await refusals(revoked)).toBe('401 token_revoked');
    if (wanted !== 'read') expect(await refusals(less)).toBe('403 not_allowed');
    if (wanted !== 'read' && wanted !== 'read_bodies') expect(await refusals(reading)).toBe('403 not_allowed');
    pass(90_001);
    expect(await refusals(short)).toBe('401 token_expired');
    expect(await stored()).toBe(before);
    // Of somebody else's revocation it knows nothing.
    await call('DELETE /v1/apps/{app}/portal-tokens', { app: other.app });
    expect((await ask(route, alive, given)).status).toBe(row.status);
  });

  // Holds O17.
  it('answers for its own application, and finds nothing of another in path, query or body', async () => {
    const { ask, mint, own, other, stored } = world;
    const given = ownCall(world);
    const token = await mint();
    const name = 'invoice.paid';
    const inPath = [...route.matchAll(/\{(app|ep|msg|job|contact)\}/g)].flatMap(([, place = '']) => {
      const values = {
        app: [other.app, 'uid:other'],
        ep: [other.ep, 'uid:others-own'],
        msg: [other.msg],
        job: [other.job],
        contact: [other.contact],
      };
      return values[place as keyof Ids].map(value => ({ ...given, path: { ...own, name, [place]: value } }));
    });
    const before = await stored();
    for (const each of [...inPath, ...(row.othersIn?.(own, other) ?? [])]) {
      const { status, text } = await ask(route, token, each);
      expect(status, `${JSON.stringify(each)} ${text}`).toBe(404);
      expect(text).not.toMatch(/hooks\.other|Name of other/);
    }
    // The other's own token opens nothing here.
    if (route.includes('{app}')) expect((await ask(route, await mint({}, other.app), given)).status).toBe(404);
    expect(await stored()).toBe(before);

    const answer = await ask(route, token, given);
    expect(answer.status, answer.text).toBe(row.status);
    expect(answer.text).not.toMatch(/canary|arn:|others-own|hooks\.other|max_concurrency|rate_per_second|"by"/);
    for (const id of Object.values(other)) expect(answer.text).not.toContain(id);
  });
});

describe('a customer', () => {
  const ep = (world: World): { path: Values } => ({ path: { ...world.own } });

  it('sees secrets only with the capability, and bodies only with theirs', async () => {
    const world = await twoApplications();
    const { ask, mint } = world;
    const without = async (...names: Capability[]): Promise<string> =>
      mint({ capabilities: CAPABILITIES.filter(each => !names.includes(each)) });
    const url = { body: { url: 'https://second.customer.com/' } };
    expect((await ask('POST /v1/apps/{app}/endpoints', await without('secrets'), url)).text).not.toContain('whsec_');
    expect((await ask('POST /v1/apps/{app}/endpoints', await mint(), url)).body.secret).toMatch(/^whsec_/);
    const blind = await without('read_bodies');
    const list = await ask(`GET ${E}/deliveries`, blind, ep(world));
    expect(list.body.data[0].last_attempt).toMatchObject({ status: 200, snippet: null });
    expect((await ask(`GET ${E}/deliveries/{msg}/attempts`, blind, ep(world))).text).not.toContain('said');
    const tested = await ask(`POST ${E}/test`, blind, { ...ep(world), body: {} });
    expect(tested.body).toMatchObject({ success: true, response_body: null, request: { body: null } });
    expect((await ask(`POST ${E}/test`, await mint(), { ...ep(world), body: {} })).body.response_body).toBe('said');
  });

  it('sees names of headers and not their values, and may write new ones', async () => {
    const world = await twoApplications();
    const token = await world.mint();
    const shown = await world.ask(`GET ${E}`, token, ep(world));
    expect(shown.body.headers).toEqual({ 'x-secret': '…' });
    // What is shown in their place is refused as a value: it would go out.
    const echoed = await world.ask(`PATCH ${E}`, token, { ...ep(world), body: { headers: shown.body.headers } });
    expect(echoed.status).toBe(400);
    await world.ask(`PATCH ${E}`, token, { ...ep(world), body: { headers: { 'x-new': 'v' } } });
    const { app, ep: id } = world.own;
    const kept = await world.store.get(endpointKey(app as AppId, id as EndpointId), 'consistent');
    expect(kept?.headers).toEqual({ 'x-new': 'v' });
  });

  it('opens what it closed, and not what the producer closed, whose reasons it does not see', async () => {
    const world = await twoApplications();
    const token = await world.mint({ subject: 'ada' });
    const act = (what: 'pause' | 'resume') =>
      world.ask(`POST ${E}/${what}`, token, { ...ep(world), body: { why: 'deploy' } });
    expect((await act('pause')).body).toMatchObject({ gate: 'paused', closed_by: 'customer', why: 'deploy' });
    expect((await act('resume')).body).toMatchObject({ gate: 'open', closed_by: null });
    const post = (what: 'disable' | 'enable', body: Json) =>
      world.ask(`POST ${E}/${what}`, token, { ...ep(world), body });
    await post('disable', {});
    expect((await post('enable', { backlog: 'drop' })).body).toMatchObject({ gate: 'open' });
    await world.call(`POST ${E}/pause`, { ...world.own }, { why: 'they do not pay' });
    const health = await world.ask(`GET ${E}/health`, token, ep(world));
    expect(health.body).toMatchObject({ gate: 'paused', closed_by: 'operator', why: null });
    const refused = await act('resume');
    expect([refused.status, refused.body.error]).toEqual([409, 'gate_closed']);
    expect(refused.body.detail).toContain('by the sender of these webhooks');
    expect(refused.text).not.toContain('pay');
    expect(world.telemetry.lines.map(line => JSON.stringify(line)).join()).not.toContain(token.slice(20));
  });

  it('sets of an endpoint only what is theirs', async () => {
    const world = await twoApplications();
    const token = await world.mint();
    for (const field of ['uid', 'metadata', 'max_concurrency', 'auto_disable_days', 'schedule', 'secret'])
      expect((await world.ask(`PATCH ${E}`, token, { ...ep(world), body: { [field]: 'x' } })).status, field).toBe(400);
    const asNew = { request_id: 'r', as_new: true };
    expect((await world.ask(`POST ${E}/deliveries/{msg}/replay`, token, { ...ep(world), body: asNew })).status).toBe(
      400,
    );
    const fast = { app: world.own.app, rate_per_second: 1_000 };
    expect((await world.ask('POST /v1/replay-jobs', token, { body: fast })).status).toBe(400);
  });

  it('sends a broadcast that it got again by a job, too, and no other', async () => {
    const world = await twoApplications();
    const token = await world.mint();
    await world.call('POST /v1/apps', {}, { name: 'All', uid: 'broadcast' });
    const news = async (key: string, type: string): Promise<string> =>
      (await world.publish(undefined, JSON.stringify({ key, type, data: 1 }))).body.id;
    const got = await news('got', 'news');
    await world.settle();
    const refused = { url: 'https://hooks.own.com/in', types: ['news'] };
    for (const { id } of (await world.call('GET /v1/apps/{app}/endpoints', { app: world.own.app })).body.data)
      await world.call(`PATCH ${E}`, { app: world.own.app, ep: id }, refused);
    const notGot = await news('not got', 'other');
    await world.settle();
    const job = async (message: string) =>
      (await world.ask('POST /v1/replay-jobs', token, { body: { app: world.own.app, message, status: 'delivered' } }))
        .status;
    expect([await job(got), await job(notGot), await job('msg_typo')]).toEqual([202, 404, 404]);
    const before = world.sent.length;
    await world.minute();
    expect(world.sent.slice(before).map(({ headers }) => headers['webhook-id'])).toEqual([got]);
  });

  it('lists its own jobs only, with its own reasons', async () => {
    const world = await twoApplications();
    const token = await world.mint({ subject: 'ada' });
    world.pass(1_000);
    await world.ask('POST /v1/replay-jobs', token, { body: { app: world.own.app, why: 'we were down' } });
    const jobs = (await world.ask('GET /v1/replay-jobs', token)).body.data as Json[];
    expect(jobs.map(job => job.why)).toEqual(['we were down', null]);
  });

  it('is slowed down when it asks too often, and is out as soon as its application is erased', async () => {
    const world = await twoApplications();
    const token = await world.mint();
    const mayCall = callsPerSecond(2);
    const states: number[] = [];
    for (let n = 0; n < 4; n++) states.push((await world.ask(SESSION_ROUTE, token, {}, mayCall)).status);
    expect(states).toEqual([200, 200, 429, 429]);
    const slowed = await world.ask(SESSION_ROUTE, token, {}, mayCall);
    expect(slowed.headers['retry-after']).toBe('1');
    await world.call('DELETE /v1/apps/{app}', { app: world.own.app }, undefined, { erase: 'true' });
    expect((await world.ask(SESSION_ROUTE, token)).body.error).toBe('token_revoked');
  });

  it('is told that nothing is known while the store does not answer', async () => {
    const world = await twoApplications();
    const token = await world.mint();
    world.outage(true);
    expect((await world.ask(SESSION_ROUTE, token)).status).toBe(503);
  });
});
