/** What must hold at one endpoint whatever else happens there: order, its next wake, what a batch carries, who waits behind whom. */
import { afterEach, expect, it, vi } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { SeededIds } from '#adapters/memory/seeded-random.ts';
import { exists } from '#core/condition.ts';
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import { eraseBodyOf } from '#core/outbound/erase/erase-body.ts';
import { disable, enableEndpoint, pause, resume } from '#core/outbound/gate/gate.ts';
import type { Answer } from '#core/outbound/ports.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { controlKey, endpointKey, runtimeKey } from '#core/outbound/protocol/keys.ts';
import type { Publication } from '#core/outbound/publish/publish.ts';
import { changeEndpoint, deleteEndpoint, type NewEndpoint } from '#core/outbound/registry/endpoints.ts';
import { replayAsNew } from '#core/outbound/replay/replay-as-new.ts';
import { MINUTE_MS } from '#core/time.ts';
import {
  answered,
  noAnswer,
  OutboundWorld,
  type OutboundWorldOptions,
  type Receiver,
} from '#test/kit/outbound-world.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
afterEach(() => vi.restoreAllMocks());

async function withEndpoint(receiver: Receiver, given: Partial<NewEndpoint>, options: OutboundWorldOptions = {}) {
  const world = new OutboundWorld({ waits: [5, 60], idleMs: 500, publishes: 'direct', ...options });
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, receiver, given);
  const publish = async (key: string, what: Partial<Publication> = {}): Promise<MessageId> => {
    const heard = await world.clock.complete(world.publish(app, key, what));
    if (heard.kind !== 'accepted') throw new Error(heard.detail);
    return heard.id;
  };
  const gate = () => ({ by: 'operator', why: 'test', now: world.clock.now() }) as const;
  const close = () => world.clock.complete(world.insist(ports => pause(ports, ep, gate())));
  const open = () => world.clock.complete(world.insist(ports => resume(ports, ep, gate())));
  const statusOf = (msg: MessageId) => world.record(ep, world.message(msg))?.status;
  const idsSent = () => world.requestsTo(ep).map(({ id }) => id);
  return { world, app, ep, publish, close, open, statusOf, idsSent };
}

it('lets nothing pass the head of an ordered endpoint while failures are not charged', async () => {
  let fails = true;
  const it = await withEndpoint(({ id }) => (fails && id === first ? noAnswer('connect') : answered(200)), {
    ordered: true,
  });
  const { world, publish, close, open, statusOf, idsSent } = it;
  const until = world.clock.now() + 60 * MINUTE_MS;
  await world.store.put({ kind: 'put', key: controlKey(EGRESS), item: { value: '{}', version: 1, until } });
  world.start();
  await close();
  const first: MessageId | undefined = await publish('first');
  await world.clock.advanceBy(1_000);
  const second = await publish('second');
  await open();
  await world.clock.advanceBy(2 * MINUTE_MS);
  expect(idsSent()).toContain(first);
  expect(idsSent()).not.toContain(second);
  fails = false;
  await world.until(() => statusOf(second) === 'delivered', 60 * MINUTE_MS);
  expect(idsSent().slice(-2)).toEqual([first, second]);
  world.stop();
});

it('wakes an endpoint that was closed and opened again while a request was under way, at the end of the hold', async () => {
  let answer: (said: Answer) => void = () => {};
  let asked = 0;
  const it = await withEndpoint(
    () =>
      asked++ === 0
        ? new Promise<Answer>(resolve => {
            answer = resolve;
          })
        : answered(200),
    {},
  );
  const { world, ep, publish, close, open, statusOf } = it;
  world.start();
  const msg = await publish('k');
  await world.until(() => asked === 1, MINUTE_MS, 100);
  await close();
  // Long enough for the session to see it.
  await world.clock.advanceBy(3_000);
  await open();
  answer(answered(429, { 'retry-after': ['60'] }));
  await world.clock.advanceBy(1_000);
  expect(world.runtime(ep)).toMatchObject({ gate: 'open', holdWhy: 'throttled' });
  await world.until(() => statusOf(msg) === 'delivered', 4 * MINUTE_MS);
  expect(statusOf(msg)).toBe('delivered');
  expect(world.telemetry.total('WakeLost')).toBe(0);
  world.stop();
});

it('sends what is no JSON alone and as it is, beside batches that stay JSON', async () => {
  const it = await withEndpoint(() => answered(200), { batch: { maxEvents: 10, maxBytes: 100_000 } });
  const { world, ep, publish, close, open, statusOf } = it;
  world.start();
  await close();
  const raw = (text: string, contentType: string) =>
    ({ content: { kind: 'raw', bytes: utf8(text), contentType } }) as const;
  const all = [
    await publish('a'),
    await publish('form', raw('a=1&b=2', 'application/x-www-form-urlencoded')),
    await publish('b'),
    await publish('broken', raw('{"a":', 'application/json')),
    await publish('c'),
    await publish('list', raw('[1]', 'application/json; charset=utf-8')),
  ];
  await open();
  await world.until(() => all.every(msg => statusOf(msg) === 'delivered'), 5 * MINUTE_MS);
  expect(all.map(statusOf)).toEqual(all.map(() => 'delivered'));
  const seen = world
    .requestsTo(ep)
    .map(({ headers, body }) => [headers['content-type'], new TextDecoder().decode(body)]);
  const alone = seen.filter(([, text = '']) => !text.startsWith('{"batch":['));
  expect(alone).toEqual([
    ['application/x-www-form-urlencoded', 'a=1&b=2'],
    ['application/json', '{"a":'],
  ]);
  const batches = seen.flatMap(([, text = '']) => (text.startsWith('{"batch":[') ? [JSON.parse(text).batch] : []));
  expect(batches.flat()).toHaveLength(4);
});

it('ends the delivery of a body that is gone, and sends what is behind it; the original keeps its own', async () => {
  const it = await withEndpoint(() => answered(200), {}, { publishes: 'job' });
  const { world, ep, publish, close, open, statusOf } = it;
  world.start();
  // Too long for the item: bytes outside the table.
  const noise = Array.from({ length: 20_000 }, () => Math.floor(world.random.next() * 2 ** 32).toString(16)).join('');
  const large = await publish('large', { content: { kind: 'data', json: utf8(JSON.stringify(noise)) } });
  await world.until(() => statusOf(large) === 'delivered', 5 * MINUTE_MS);
  await close();
  const request = { ep, msg: large, requestId: 'r1', by: 'test' };
  const copied = await world.clock.complete(
    world.insist(ports => replayAsNew(ports, world.rules.retentionMs, request)),
  );
  const copy = (copied as { id: MessageId }).id;
  const [{ ref: of = '' }, { ref = '' }] = [world.message(large), world.message(copy)];
  expect(ref).toBe(of.replace(large, copy).replace(/[^/]*$/, 'copied'));
  await world.clock.complete(world.insist(({ blobs }) => blobs.put(ref, new Uint8Array()).then(() => true)));
  const behind = await publish('behind');
  await world.clock.advanceBy(5_000);
  await open();
  await world.until(() => statusOf(behind) === 'delivered', 10 * MINUTE_MS);
  expect([statusOf(copy), statusOf(behind)]).toEqual(['expired', 'delivered']);
  world.stop();
});

it.each([1, 4])('begins no request with a body that was erased while it waited for a rate of %i/s', async perSecond => {
  const it = await withEndpoint(() => answered(200), { rate: { perSecond, burst: 20 } });
  const { world, publish, close, open, statusOf, idsSent } = it;
  world.start();
  // So fast that it may have many requests at once: they are read together, and wait for the rate one by one.
  const fast: MessageId[] = [];
  for (let n = 0; n < 60; n++) fast.push(await publish(`fast${n}`));
  await world.until(() => fast.every(msg => statusOf(msg) === 'delivered'), 5 * MINUTE_MS);
  await close();
  const all: MessageId[] = [];
  for (let n = 0; n < 50; n++) all.push(await publish(`k${n}`));
  await open();
  const sent = () => idsSent().filter(msg => all.includes(msg as MessageId));
  await world.until(() => sent().length >= 20, MINUTE_MS);
  const erased = all.filter(msg => !sent().includes(msg)).slice(2, 22);
  for (const msg of erased) await world.clock.complete(world.insist(ports => eraseBodyOf(ports, world.message(msg))));
  // As the API does before it answers.
  await world.clock.advanceBy(2_000);
  const before = sent().filter(msg => erased.includes(msg as MessageId));
  await world.until(() => all.every(msg => statusOf(msg) !== undefined), 5 * MINUTE_MS);
  expect(sent().filter(msg => erased.includes(msg as MessageId))).toEqual(before);
  const canceled = erased.filter(msg => !before.includes(msg));
  expect(canceled.length).toBeGreaterThan(1);
  for (const msg of all) expect(statusOf(msg)).toBe(canceled.includes(msg) ? 'canceled' : 'delivered');
  world.stop();
});

it('keeps to the rate of its endpoint: the burst, then one each quarter of a second', async () => {
  const { world, publish, close, open, statusOf } = await withEndpoint(() => answered(200), {
    rate: { perSecond: 4, burst: 5 },
  });
  world.start();
  await close();
  const all: MessageId[] = [];
  for (let n = 0; n < 45; n++) all.push(await publish(`k${n}`));
  await open();
  await world.until(() => all.every(msg => statusOf(msg) === 'delivered'), MINUTE_MS);
  const begun = world.requests.map(({ startedAt }) => startedAt).toSorted((a, b) => a - b);
  const took = (begun.at(-1) ?? 0) - (begun[0] ?? 0);
  expect(took).toBeGreaterThanOrEqual(9_900);
  expect(took).toBeLessThan(12_000);
  world.stop();
});

it('begins no request of a backlog that was dropped while it waited for the rate', async () => {
  const it = await withEndpoint(() => answered(200), { rate: { perSecond: 1, burst: 1 } });
  const { world, ep, publish, close, open, idsSent } = it;
  world.start();
  await close();
  for (let n = 0; n < 12; n++) await publish(`k${n}`);
  await open();
  await world.until(() => idsSent().length >= 4, MINUTE_MS);
  const act = () => ({ by: 'operator', why: 'test', now: world.clock.now() }) as const;
  await world.clock.complete(
    world.insist(async ports => {
      await disable(ports, ep, act());
      return enableEndpoint(ports, ep, act(), { kind: 'drop' });
    }),
  );
  await world.clock.advanceBy(1_500);
  const sent = idsSent().length;
  await world.clock.advanceBy(2 * MINUTE_MS);
  expect(idsSent()).toHaveLength(sent);
  world.stop();
});

it('holds at most 4 MB of bodies of one endpoint that are not under way yet', async () => {
  let sent = 0;
  let most = 0;
  const it = await withEndpoint(() => answered(200), { maxConcurrency: 100 }, { onRequest: () => void sent++ });
  const { world, ep, publish, close, open } = it;
  world.start();
  await close();
  const json = utf8(`"${'x'.repeat(200_000)}"`);
  for (let n = 0; n < 50; n++) await publish(`k${n}`, { content: { kind: 'data', json } });
  // It was fast: it takes as many at once as it may.
  await world.store.update({ kind: 'update', key: runtimeKey(ep), condition: exists('pk'), set: { cap: 100 } });
  let read = 0;
  const inflate = nodeCodec.inflate;
  vi.spyOn(nodeCodec, 'inflate').mockImplementation((bytes, limit) => {
    read += 1;
    most = Math.max(most, read - sent);
    return inflate(bytes, limit);
  });
  await open();
  await world.until(() => world.requestsTo(ep).length === 50, 5 * MINUTE_MS);
  expect(world.requestsTo(ep)).toHaveLength(50);
  expect(most).toBeGreaterThan(5);
  expect(most).toBeLessThanOrEqual(20);
});

it.each([
  ['between the lease and the reading of its configuration', 'before'],
  ['between the reading of its configuration and of its secrets', 'between'],
] as const)('sends nothing when the endpoint is deleted %s', async (_, when) => {
  const { world, app, ep, publish, close, open, statusOf } = await withEndpoint(() => answered(200), {});
  world.start();
  await close();
  const msg = await publish('k');
  await world.clock.advanceBy(10_000);
  const getMany = world.store.getMany.bind(world.store);
  const { store, clock } = world;
  const ports = { store, clock, ids: new SeededIds(world.random.fork()), wake: { send: async () => undefined } };
  const wanted = JSON.stringify(endpointKey(app, ep));
  const before = await store.get(endpointKey(app, ep), 'consistent');
  let reads = 0;
  vi.spyOn(store, 'getMany').mockImplementation(async (keys, how) => {
    const isConfig = keys.some(key => JSON.stringify(key) === wanted);
    if (isConfig && reads++ === 0)
      await deleteEndpoint(ports, app, ep, { by: 'customer', why: 'test', ...world.rules });
    const items = await getMany(keys, how);
    // An eventual and a consistent read of one look.
    return isConfig && when === 'between' && reads <= 2 ? [{ ...before }, ...items.slice(1)] : items;
  });
  await open();
  await world.until(() => statusOf(msg) === 'canceled', 10 * MINUTE_MS);
  expect([statusOf(msg), world.requests]).toEqual(['canceled', []]);
  expect(reads).toBeGreaterThan(0);
  world.stop();
});

it('goes on at the new address within seconds when an endpoint is changed in the middle of a session', async () => {
  const it = await withEndpoint(
    () => new Promise<Answer>(resolve => void world.clock.after(1_000, () => resolve(answered(200)))),
    { maxConcurrency: 1 },
  );
  const { world, app, ep, publish, close, open } = it;
  world.start();
  await close();
  for (let n = 0; n < 30; n++) await publish(`k${n}`);
  const old = world.endpoints.get(ep)?.url ?? '';
  const url = 'https://moved.example.com/in';
  world.receivers.set(url, () => answered(200));
  await open();
  await world.until(() => world.requests.length === 3, MINUTE_MS, 100);
  await world.clock.complete(world.insist(ports => changeEndpoint(ports, app, ep, { fields: { url } })));
  await world.until(() => world.requests.length === 30, 5 * MINUTE_MS);
  expect(world.requests.filter(request => request.url === old).length).toBeLessThan(14);
  expect(world.requests.at(-1)?.url).toBe(url);
  world.stop();
});

it('sends to the new address from the next request after the change', async () => {
  const it = await withEndpoint(() => answered(200), {}, { longPolling: true });
  const { world, app, ep, publish, statusOf } = it;
  world.start();
  const before = await publish('before');
  await world.until(() => statusOf(before) === 'delivered', MINUTE_MS, 100);
  const url = 'https://moved.example.com/in';
  world.receivers.set(url, () => answered(200));
  await world.clock.complete(world.insist(ports => changeEndpoint(ports, app, ep, { fields: { url } })));
  const after = await publish('after');
  await world.until(() => statusOf(after) === 'delivered', MINUTE_MS, 100);
  expect(world.requests.map(request => [request.id, request.url === url])).toEqual([
    [before, false],
    [after, true],
  ]);
  world.stop();
});
