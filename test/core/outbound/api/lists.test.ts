/** Every list of the API, walked in pages of any size: each thing once, in the same order, and the walk ends. */
import { beforeAll, describe, expect, it } from 'vitest';
import { given } from '#core/given.ts';
import { DELIVERY_ROUTES, type DeliveryRoute } from '#core/outbound/api/api-routes.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { AttemptItem } from '#core/outbound/protocol/items.ts';
import { attemptKey, attemptsRange } from '#core/outbound/protocol/keys.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const COUNT = 4;
const E = '/v1/apps/{app}/endpoints/{ep}';
type World = Awaited<ReturnType<typeof withEndpoint>> & { readonly msg: string; readonly paused: string };

interface List {
  readonly route: DeliveryRoute;
  readonly query?: Readonly<Record<string, string>>;
  readonly path?: (world: World) => Record<string, string>;
  /** What tells two things of the list apart. */
  readonly of: (thing: Json) => string;
}
const byId = ({ id }: Json): string => id;
const ofEndpoint = ({ app, ep }: World): Record<string, string> => ({ app, ep });
/** `all`: what lies in it, where that is not COUNT. */
const LISTS: readonly (List & { readonly all?: number })[] = [
  { route: 'GET /v1/apps', of: byId },
  { route: 'GET /v1/apps/{app}/endpoints', path: ({ app }) => ({ app }), of: byId },
  { route: 'GET /v1/apps/{app}/messages', path: ({ app }) => ({ app }), of: byId },
  { route: 'GET /v1/apps/{app}/messages', query: { type: 'a' }, path: ({ app }) => ({ app }), of: byId },
  {
    route: 'GET /v1/apps/{app}/messages/{msg}/deliveries',
    path: ({ app, msg }) => ({ app, msg }),
    of: it => it.endpoint,
  },
  { route: `GET ${E}/deliveries`, path: ofEndpoint, of: it => it.message },
  {
    ...{ route: `GET ${E}/deliveries`, of: it => it.message },
    path: ({ app, paused }) => ({ app, ep: paused }),
  },
  {
    ...{ route: 'GET /v1/apps/{app}/deliveries', all: 4 * COUNT },
    ...{ path: ({ app }) => ({ app }), of: it => `${it.message} ${it.endpoint}` },
  },
  {
    ...{ route: 'GET /v1/apps/{app}/deliveries', query: { status: 'pending' } },
    ...{ path: ({ app }) => ({ app }), of: it => `${it.message} ${it.endpoint}` },
  },
  {
    ...{ route: 'GET /v1/apps/{app}/deliveries', query: { status: 'dead' } },
    ...{ path: ({ app }) => ({ app }), of: it => `${it.message} ${it.endpoint}` },
  },
  { route: `GET ${E}/deliveries`, query: { status: 'dead' }, path: ofEndpoint, of: it => it.message },
  {
    ...{ route: `GET ${E}/deliveries`, query: { status: 'pending' }, of: it => it.message },
    path: ({ app, paused }) => ({ app, ep: paused }),
  },
  {
    route: `GET ${E}/deliveries/{msg}/attempts`,
    path: ({ app, ep, msg }) => ({ app, ep, msg }),
    of: it => `${it.generation} ${it.attempt} ${it.class}`,
  },
  { route: `GET ${E}/tests`, path: ofEndpoint, of: byId },
  { route: 'GET /v1/event-types', of: it => it.name },
  { route: 'GET /v1/replay-jobs', of: byId },
];

/** Never more than five, always whole. */
const WHOLE: readonly DeliveryRoute[] = ['GET /v1/apps/{app}/contacts'];

/** Four of everything; each message is dead at one endpoint after four attempts, and waits at another that is paused. */
async function fullWorld(): Promise<World> {
  const world = await withEndpoint();
  const { app, ep, call, publish, settle, pass, answer, wakeUps } = world;
  const endpoint = async (n: number): Promise<string> =>
    (await call('POST /v1/apps/{app}/endpoints', { app }, { url: `https://e${n}.customer.com/` })).body.id;
  const paused = await endpoint(1);
  await call(`POST ${E}/pause`, { app, ep: paused }, {});
  await call('PATCH /v1/apps/{app}', { app }, { schedule: [5, 5, 5] });
  for (let n = 1; n < COUNT; n++) {
    await call('POST /v1/apps', {}, { name: `other ${n}` });
    if (n > 1) await endpoint(n);
  }
  for (let n = 0; n < COUNT; n++) {
    await call('PUT /v1/event-types/{name}', { name: `type.${n}` }, {});
    pass(1);
    await call(`POST ${E}/test`, { app, ep }, { type: 'a' });
  }
  answer(422);
  const sent: string[] = [];
  for (let n = 0; n < COUNT; n++) {
    sent.push((await publish(app, `{"key":"k${n}","type":"a","data":${n}}`)).body.id);
    await settle();
    pass(1);
  }
  for (let n = 0; n < COUNT; n++) {
    pass(10_000);
    wakeUps.push({ v: 1, ep });
    await settle();
  }
  for (let n = 0; n < COUNT; n++) {
    pass(1);
    await call('POST /v1/replay-jobs', {}, { app });
  }
  return { ...world, paused, msg: sent[0] ?? '' };
}

async function walk(world: World, { route, query, path, of }: List, limit: number) {
  const seen: string[] = [];
  const pages: number[] = [];
  let cursor: string | undefined;
  do {
    const asked = { ...query, limit: String(limit), ...given({ cursor }) };
    const { status, body } = await world.call(route, path?.(world) ?? {}, undefined, asked);
    expect(status, JSON.stringify(body)).toBe(200);
    pages.push(body.data.length);
    seen.push(...body.data.map(of));
    cursor = body.cursor ?? undefined;
    expect(pages.length, `${route} comes to no end: ${seen.join(', ')}`).toBeLessThan(80);
  } while (cursor !== undefined);
  return { seen, pages };
}

describe('each list', () => {
  let world: World;
  beforeAll(async () => {
    world = await fullWorld();
  });

  it.each(LISTS.map(list => [`${list.route} ${JSON.stringify(list.query ?? {})}`, list] as const))(
    '%s is the same in pages of any size',
    async (_, list) => {
      const { all: count = COUNT } = list;
      const { seen: all } = await walk(world, list, 250);
      expect(all).toHaveLength(count);
      expect(new Set(all).size).toBe(all.length);
      // 2: two pages, both full; 3: a full one and a short one; COUNT: one that is exactly full.
      for (const limit of [1, 2, 3, count, count + 1]) {
        const { seen, pages } = await walk(world, list, limit);
        expect(seen, `in pages of ${limit}`).toEqual(all);
        expect(Math.max(...pages), `in pages of ${limit}`).toBeLessThanOrEqual(limit);
      }
    },
  );

  it('is in this table: whatever answers with a cursor', async () => {
    const unlisted: string[] = [];
    for (const route of DELIVERY_ROUTES.filter(
      it => it.startsWith('GET ') && !WHOLE.includes(it) && !LISTS.some(({ route }) => it === route),
    )) {
      const path = { app: world.app, ep: world.ep, msg: world.msg, name: 'type.0', job: 'job' };
      const { body } = await world.call(route, path);
      if (body !== undefined && 'cursor' in body) unlisted.push(route);
    }
    expect(unlisted).toEqual([]);
  });
});

it.each(['1970-01-01', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59'])(
  'comes to an end within the retention, whatever time it is asked from: messages since %s',
  async since => {
    const world = { ...(await withEndpoint()), paused: '', msg: '' };
    await world.publish(world.app, '{"key":"k","type":"a","data":1}');
    const list: List = {
      route: 'GET /v1/apps/{app}/messages',
      ...{ query: { since }, path: ({ app }) => ({ app }), of: byId },
    };
    expect((await walk(world, list, 50)).seen).toHaveLength(since < '2' ? 1 : 0);
  },
);

it('shows a success once that is in the log, too, on whichever page the log ends', async () => {
  const world = { ...(await withEndpoint()), paused: '', msg: '' };
  const { app, publish, settle, store } = world;
  const ep = world.ep as EndpointId;
  const msg = (await publish(app, '{"key":"k","type":"a","data":1}')).body.id as MessageId;
  await settle();
  const list: List = {
    ...{ route: `GET ${E}/deliveries/{msg}/attempts`, of: it => `${it.attempt} ${it.class}` },
    path: () => ({ app, ep, msg }),
  };
  expect((await walk(world, list, 1)).seen).toEqual(['1 ok']);
  const { at } = (await world.call(list.route, { app, ep, msg })).body.data[0];
  // As an environment keeps it whose log has every attempt.
  const item = {
    ...{ gen: 1, n: 1, at: Date.parse(at), class: 'ok', code: 200, kind: 'delivery' },
    url: 'https://x/',
  };
  const whole = { ...item, requestHeaders: {}, timings: { total: 5 }, expiresAt: 4e9 } as unknown as AttemptItem;
  await store.put({ kind: 'put', key: attemptKey(ep, msg, 1, 1, item.at), item: whole });
  expect((await store.query(attemptsRange(ep, msg))).items).toHaveLength(1);
  for (const limit of [1, 2, 50]) expect((await walk(world, list, limit)).seen, `${limit}`).toEqual(['1 ok']);
});

it('gives attempts with their bodies in pages that fit in an answer, all of them', async () => {
  const world = { ...(await withEndpoint()), paused: '', msg: '' };
  const { app, publish, settle, store, answer } = world;
  const ep = world.ep as EndpointId;
  answer(422);
  const msg = (await publish(app, '{"key":"k","type":"a","data":1}')).body.id as MessageId;
  await settle();
  const [first] = (await store.query(attemptsRange(ep, msg))).items;
  for (let n = 2; n <= 120; n++) {
    const item = { ...first, n } as AttemptItem;
    await store.put({ kind: 'put', key: attemptKey(ep, msg, 1, n, item.at), item });
  }
  const list: List = {
    ...{ route: `GET ${E}/deliveries/{msg}/attempts`, of: it => it.attempt },
    path: () => ({ app, ep, msg }),
  };
  const { seen, pages } = await walk(world, list, 250);
  expect([seen.length, new Set(seen).size, Math.max(...pages)]).toEqual([120, 120, 50]);
});
