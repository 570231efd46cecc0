/** Lists of deliveries show what waits, with its type, and no page that is empty while something follows. */
import { expect, it, vi } from 'vitest';
import type { DeliveryRoute } from '#core/outbound/api/api-routes.ts';
import type { Placed } from '#core/outbound/ports.ts';
import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { EndpointItem, RecordItem } from '#core/outbound/protocol/items.ts';
import { endpointKey, liveRowKey, messageKey, recordKey } from '#core/outbound/protocol/keys.ts';
import { DAY_MS } from '#core/time.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';
const ALL = 'GET /v1/apps/{app}/deliveries';

/** A message a day, for ten days: the first five were delivered, and the endpoint has been paused since. */
async function tenDays() {
  const world = await withEndpoint();
  const { app, ep, call, publish, settle, pass } = world;
  for (let day = 0; day < 10; day++) {
    if (day === 5) await call(`POST ${E}/pause`, { app, ep }, {});
    await publish(app, `{"key":"k${day}","type":"day.${day % 2}","data":1}`);
    await settle();
    pass(DAY_MS);
  }
  return world;
}

it('shows what waits in every list, newest first and with its type', async () => {
  const { app, ep, call } = await tenDays();
  const statuses: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await call(ALL, { app }, undefined, { limit: '3', ...(cursor === undefined ? {} : { cursor }) });
    expect(body.data.length, 'an empty page, and rows follow').toBeGreaterThan(0);
    statuses.push(...body.data.map((each: Json) => `${each.type} ${each.status} ${each.held_why}`));
    cursor = body.cursor ?? undefined;
  } while (statuses.length < 10);
  const waiting = ['day.1', 'day.0', 'day.1', 'day.0', 'day.1'].map(type => `${type} pending paused`);
  const over = ['day.0', 'day.1', 'day.0', 'day.1', 'day.0'].map(type => `${type} delivered null`);
  expect(statuses).toEqual([...waiting, ...over]);
  const first = (await call(`GET ${E}/deliveries`, { app, ep })).body.data;
  expect(first.length, 'the list of the endpoint').toBeGreaterThan(0);
  expect(first[0]).toMatchObject({ status: 'pending', type: 'day.1' });
});

it('filters what waits by its type, and finds a state that is days back on the first page', async () => {
  const { app, call } = await tenDays();
  const firstPage = async (query: Record<string, string>): Promise<readonly Json[]> =>
    (await call(ALL, { app }, undefined, query)).body.data;
  expect(await firstPage({ status: 'pending', type: 'day.0' })).toHaveLength(2);
  const [delivered] = await firstPage({ status: 'delivered' });
  expect(delivered).toMatchObject({ status: 'delivered', type: 'day.0' });
  expect((await call(ALL, { app }, undefined, { endpoint: 'ep_none' })).body.error).toBe('unknown_endpoint');
});

it('orders the deliveries of all endpoints by time, whichever has more', async () => {
  const world = await withEndpoint();
  const { app, ep, call, publish, settle, pass } = world;
  for (let n = 0; n < 6; n++) {
    await publish(app, `{"key":"a${n}","type":"a","data":1}`);
    pass(1_000);
  }
  await call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://second.customer.com/', types: ['b'] });
  for (let n = 0; n < 2; n++) {
    await publish(app, `{"key":"b${n}","type":"b","data":1}`);
    pass(1_000);
  }
  await settle();
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await call(ALL, { app }, undefined, { limit: '2', ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...body.data.map((each: Json) => `${each.created_at} ${each.endpoint}`));
    cursor = body.cursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toHaveLength(10);
  expect(seen.map(each => each.slice(0, 24))).toEqual(
    seen
      .map(each => each.slice(0, 24))
      .toSorted()
      .toReversed(),
  );
  expect(new Set(seen).size).toBe(10);
  expect(seen.filter(each => each.endsWith(ep))).toHaveLength(8);
});

it('answers for a delivery that waits for its first attempt: none was made yet', async () => {
  const { app, ep, call, publish, settle } = await withEndpoint();
  await call(`POST ${E}/pause`, { app, ep }, {});
  const { id } = (await publish(app, '{"key":"k","type":"a","data":1}')).body;
  await settle();
  const { status, body } = await call(`GET ${E}/deliveries/{msg}/attempts`, { app, ep, msg: id });
  expect([status, body]).toEqual([200, { data: [], cursor: null }]);
});

it('shows a message at each of 1,000 endpoints, and at the last one on the first page', async () => {
  const world = await withEndpoint();
  const { app, ep, call, publish, store, pass } = world;
  const first = await store.get(endpointKey(app as AppId, ep as EndpointId), 'consistent');
  const { pk: _, sk: __, ...endpoint } = first as Placed<EndpointItem>;
  const id = (n: number): EndpointId => `${ep.slice(0, -4)}${String(n).padStart(4, '0')}` as EndpointId;
  for (let n = 0; n < 1_000; n++) {
    // A partition takes a thousand units a second.
    if (n % 300 === 0) pass(1_000);
    await store.put({
      ...{ kind: 'put', key: endpointKey(app as AppId, id(n)) },
      item: { ...endpoint, id: id(n) },
    });
  }
  await call(`DELETE ${E}`, { app, ep });
  const msg = (await publish(app, '{"key":"k","type":"a","data":1}')).body.id as MessageId;
  const createdAt = (await store.get(messageKey(msg), 'consistent'))?.createdAt ?? 0;
  const put = async (n: number): Promise<unknown> =>
    store.put({
      ...{ kind: 'put', key: liveRowKey({ ep: id(n), msg, createdAt }) },
      item: { msg, createdAt, gen: 1, n: 1, type: 'a', expiresAt: 4e9 },
    });
  await put(999);
  const deliveries = async (query: Record<string, string>) =>
    (await call('GET /v1/apps/{app}/messages/{msg}/deliveries', { app, msg }, undefined, query)).body;
  expect((await deliveries({})).data).toMatchObject([{ endpoint: id(999), status: 'pending', type: 'a' }]);
  for (let n = 0; n < 999; n++) await put(n);
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await deliveries({ limit: '250', ...(cursor === undefined ? {} : { cursor }) });
    for (const each of page.data) seen.add(each.endpoint);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen.size).toBe(1_000);
  expect((await deliveries({ endpoint: id(500) })).data).toMatchObject([{ endpoint: id(500) }]);
});

it('finds with a filter what lies behind thousands that do not fit, on the first page', async () => {
  const { app, ep, call, publish, store, pass, settle } = await withEndpoint();
  const { id } = (await publish(app, '{"key":"k","type":"rare","data":1}')).body;
  await settle();
  const at = (await store.get(messageKey(id as MessageId), 'consistent'))?.createdAt ?? 0;
  const found = await store.get(recordKey({ ep: ep as EndpointId, msg: id as MessageId, createdAt: at }), 'consistent');
  const { pk: _, sk: __, ...record } = found as Placed<RecordItem>;
  for (let n = 1; n <= 2_500; n++) {
    // A partition takes a thousand units a second.
    if (n % 300 === 0) pass(1_000);
    const key = recordKey({
      ep: ep as EndpointId,
      msg: `msg_${String(n).padStart(26, '0')}` as MessageId,
      createdAt: at + n,
    });
    await store.put({ kind: 'put', key, item: { ...record, type: 'common' } });
  }
  pass(3_600_000);
  const { body } = await call(ALL, { app }, undefined, { type: 'rare', limit: '1' });
  expect(body.data).toMatchObject([{ message: id, type: 'rare' }]);
});

it('finds on the first page what is days back at one of 400 endpoints', async () => {
  const { app, ep, call, publish, store, pass, settle } = await withEndpoint();
  const first = await store.get(endpointKey(app as AppId, ep as EndpointId), 'consistent');
  const { pk: _, sk: __, ...endpoint } = first as Placed<EndpointItem>;
  await publish(app, '{"key":"k","type":"a","data":1}');
  await settle();
  for (let n = 0; n < 400; n++) {
    if (n % 300 === 0) pass(1_000);
    const id = `${ep.slice(0, -4)}${String(n).padStart(4, '0')}` as EndpointId;
    await store.put({ kind: 'put', key: endpointKey(app as AppId, id), item: { ...endpoint, id } });
  }
  const other = (await call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://second.customer.com/' })).body.id;
  pass(20 * DAY_MS);
  const { body } = await call(ALL, { app }, undefined, { status: 'delivered' });
  expect(body.data).toMatchObject([{ endpoint: ep }]);
  expect(other).not.toBe(ep);
});

it('shows a customer a broadcast that was sent to it, and to nobody else; only its own body can be erased', async () => {
  const { app, ep, call, publish, settle } = await withEndpoint();
  await call('POST /v1/apps', {}, { name: 'all', uid: 'broadcast' });
  const other = (await call('POST /v1/apps', {}, { name: 'other' })).body.id;
  const { id } = (await publish(undefined, '{"key":"b","type":"a","data":1}')).body;
  await settle();
  const ask = (route: DeliveryRoute, of: string, query = {}) => call(route, { app: of, msg: id }, undefined, query);
  const M = '/v1/apps/{app}/messages/{msg}';
  expect((await ask(`GET ${M}/deliveries`, app, { endpoint: ep })).body.data).toMatchObject([
    { endpoint: ep, type: 'a', status: 'delivered' },
  ]);
  expect((await ask(`GET ${M}`, app)).body).toMatchObject({ id, type: 'a' });
  expect((await ask(`GET ${M}/body`, app)).body.base64.length).toBeGreaterThan(10);
  for (const route of [`GET ${M}/deliveries`, `GET ${M}`, `GET ${M}/body`] as const)
    expect((await ask(route, other)).body.error, route).toBe('unknown_message');
  expect((await ask(`DELETE ${M}/body`, app)).body.error).toBe('unknown_message');
});

it('says that nothing follows where nothing does, also of an endpoint that is a week old', async () => {
  const { app, ep, call, publish, settle, pass, store } = await withEndpoint();
  const asked = vi.spyOn(store, 'query');
  await publish(app, '{"key":"old","type":"a","data":1}');
  await settle();
  pass(7 * DAY_MS);
  await publish(app, '{"key":"new","type":"a","data":1}');
  await settle();
  asked.mockClear();
  for (const route of [`GET ${E}/deliveries`, ALL] as const) {
    const { data, cursor } = (await call(route, { app, ep })).body;
    expect([data.length, cursor]).toEqual([2, null]);
  }
  // Two lists of each of the days; the list of an application reads its endpoints besides.
  expect(asked.mock.calls.length).toBeLessThanOrEqual(2 * 2 * 10 + 2);
});
