/** A fan-out that is killed, an index that lags, and a publish that is repeated: who gets the message, and when. */
import { expect, it } from 'vitest';
import type { ItemStore } from '#core/outbound/ports.ts';
import { APPS } from '#core/outbound/protocol/keys.ts';
import { changeEndpoint } from '#core/outbound/registry/endpoints.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

it('begins the deliveries of a killed fan-out within a minute', async () => {
  let killed = 0;
  const world = new OutboundWorld({
    publishes: 'job',
    idleMs: 1_000,
    planOf: role => (role === 'fan-out' ? () => (killed++ === 0 ? 'crash_before' : undefined) : undefined),
  });
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, () => answered(200));
  world.tending = false;
  world.start();
  const begun = world.clock.now();
  await world.clock.complete(world.publish(app, 'k'), MINUTE_MS);
  await world.until(() => world.requestsTo(ep).length > 0, HOUR_MS, 500);
  expect(killed).toBeGreaterThan(1);
  expect((world.requestsTo(ep)[0]?.startedAt ?? Number.POSITIVE_INFINITY) - begun).toBeLessThan(60_000);
  world.stop();
});

it('finds an application that was created while a broadcast walks, which no index has heard of', async () => {
  const lagging = (store: ItemStore): ItemStore =>
    ({
      ...Object.fromEntries(
        ['get', 'getMany', 'put', 'putMany', 'update', 'delete', 'scan', 'transact'].map(name => [
          name,
          (...given: unknown[]) => (store[name as 'get'] as (...all: unknown[]) => unknown)(...given),
        ]),
      ),
      query: range => (range.partition === APPS ? Promise.resolve({ items: [] }) : store.query(range)),
    }) as ItemStore;
  const world = new OutboundWorld({ publishes: 'job', idleMs: 1_000, watchStore: (_, store) => lagging(store) });
  const all = await world.createApplication({ uid: 'broadcast' });
  const heard = await world.clock.complete(world.publish(all, 'k'), MINUTE_MS);
  if (heard.kind !== 'accepted') throw new Error('refused');
  world.jobs.purge();
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, () => answered(200));
  await world.jobs.send(JSON.stringify({ v: 1, walk: heard.id }));
  world.tending = false;
  world.start();
  await world.clock.advanceBy(MINUTE_MS);
  expect(world.requestsTo(ep)).toHaveLength(1);
  world.stop();
});

it.each(['direct', 'job'] as const)('delivers a repeated publish to nobody new (%s)', async publishes => {
  const world = new OutboundWorld({ publishes, idleMs: 10_000 });
  const app = await world.createApplication();
  const old = await world.createEndpoint(app, () => answered(200));
  const late = await world.createEndpoint(app, () => answered(200), { types: ['other.type'] });
  world.start();
  const say = () => world.clock.complete(world.publish(app, 'k'), MINUTE_MS);
  const first = await say();
  await world.clock.advanceBy(20 * HOUR_MS);
  await world.clock.complete(
    world.insist(ports => changeEndpoint(ports, app, late, { fields: { types: ['invoice.paid'] } })),
  );
  await world.clock.advanceBy(4 * HOUR_MS);
  expect(await say()).toMatchObject({ id: (first as { id: string }).id, duplicate: true });
  await world.clock.advanceBy(2 * HOUR_MS);
  expect(world.requestsTo(old)).toHaveLength(1);
  expect(world.requestsTo(late)).toEqual([]);
  world.stop();
});

it.each([true, false])(
  'delivers what was lost to whoever was saved again and wants the same (repeated: %s)',
  async repeated => {
    const world = new OutboundWorld({ publishes: 'job', idleMs: 5_000 });
    world.tending = !repeated;
    const app = await world.createApplication();
    const saved = await world.createEndpoint(app, () => answered(200), { types: ['invoice.paid'] });
    const say = () => world.clock.complete(world.publish(app, 'k'), MINUTE_MS);
    await say();
    world.jobs.purge();
    await world.clock.advanceBy(5 * MINUTE_MS);
    const fields = {
      types: ['invoice.paid'],
      channels: [],
      mode: 'live' as const,
      filter: undefined,
      description: 'ours',
    };
    await world.clock.complete(world.insist(ports => changeEndpoint(ports, app, saved, { fields })));
    world.start();
    if (repeated) await say();
    await world.clock.advanceBy(repeated ? MINUTE_MS : 3 * HOUR_MS);
    expect(world.requestsTo(saved)).toHaveLength(1);
    world.stop();
  },
);
