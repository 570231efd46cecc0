import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import { changeEndpoint } from '#core/outbound/protocol/delivery-writes.ts';
import { endpointKey } from '#core/outbound/protocol/keys.ts';
import { spanAt } from '#core/outbound/tend/reconcile-messages.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

it('looks at every message: each pass begins before the one before it ended', () => {
  const first = spanAt(0, undefined);
  expect(first).toEqual({ from: -130 * MINUTE_MS, to: -10 * MINUTE_MS });
  const second = spanAt(HOUR_MS, first.to);
  expect(second.from).toBeLessThan(first.to);
  expect(second.to).toBe(50 * MINUTE_MS);
});

it('catches up after tend was away, for a day at most', () => {
  expect(spanAt(10 * HOUR_MS, 0).from).toBe(-10 * MINUTE_MS);
  expect(spanAt(100 * HOUR_MS, 0).from).toBe(74 * HOUR_MS);
});

async function publishedIntoTheVoid(): Promise<OutboundWorld> {
  const world = new OutboundWorld({ publishes: 'job', idleMs: 5_000 });
  world.tending = false;
  const app = await world.createApplication();
  await world.createEndpoint(app, () => answered(200));
  // Nothing runs: the job waits, and is lost.
  for (const key of ['a', 'b']) await world.clock.complete(world.publish(app, key), MINUTE_MS);
  world.jobs.purge();
  return world;
}
const tendFor = async (world: OutboundWorld, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += MINUTE_MS) {
    await world.clock.complete(world.tend(), MINUTE_MS);
    await world.clock.advanceBy(MINUTE_MS);
  }
};

it('fans out what the queue of jobs lost, within the second hour', async () => {
  const world = await publishedIntoTheVoid();
  world.start();
  await tendFor(world, 2 * HOUR_MS);
  expect(world.requests.map(({ id }) => id).toSorted()).toHaveLength(2);
  expect(world.telemetry.total('FanOutLost')).toBe(2);
});

it('finds a broadcast whose walk was lost, and the part of one, and sends it to each endpoint once', async () => {
  const world = new OutboundWorld({ publishes: 'job', idleMs: 5_000 });
  world.tending = false;
  const all = await world.createApplication({ uid: 'broadcast' });
  const apps = [await world.createApplication(), await world.createApplication(), await world.createApplication()];
  for (const app of apps) await world.createEndpoint(app, () => answered(200));
  const heard = await world.clock.complete(world.publish(all, 'k'), MINUTE_MS);
  world.jobs.purge();
  // The walk came as far as the first application.
  if (heard.kind !== 'accepted') throw new Error('refused');
  await world.jobs.send(JSON.stringify({ v: 1, app: apps[0], msg: heard.id }));
  world.start();
  await world.clock.advanceBy(MINUTE_MS);
  expect(world.requests).toHaveLength(1);
  await tendFor(world, 2 * HOUR_MS);
  expect(world.requests.map(({ url }) => url).toSorted()).toEqual(
    [...world.endpoints.values()].map(({ url }) => url).toSorted(),
  );
  expect(world.telemetry.total('FanOutLost')).toBe(2);
  world.stop();
});

it('looks again at a message whose new job is lost as the first one was', async () => {
  const world = await publishedIntoTheVoid();
  for (let hour = 0; hour < 3; hour++) {
    await tendFor(world, 75 * MINUTE_MS);
    world.jobs.purge();
  }
  world.start();
  await tendFor(world, 2 * HOUR_MS);
  expect(new Set(world.requests.map(({ id }) => id)).size).toBe(2);
});

it('sends what was lost to nobody who subscribed since', async () => {
  const world = new OutboundWorld({ publishes: 'job', idleMs: 5_000 });
  world.tending = false;
  const app = await world.createApplication();
  await world.createEndpoint(app, () => answered(200));
  const late = await world.createEndpoint(app, () => answered(200), { types: ['other'] });
  await world.clock.complete(world.publish(app, 'a'), MINUTE_MS);
  world.jobs.purge();
  await world.clock.advanceBy(5 * MINUTE_MS);
  const before = await world.store.get(endpointKey(app, late), 'consistent');
  assert(before);
  const changed = { ...before, types: [], subscribedAt: world.clock.now(), version: before.version + 1 };
  await world.clock.complete(world.store.transact(changeEndpoint(changed, before.version), 'change'), MINUTE_MS);
  world.start();
  await tendFor(world, 2 * HOUR_MS);
  expect(world.requests.map(({ url }) => url)).not.toContain(before.url);
  expect(world.requests).toHaveLength(1);
  world.stop();
});

it('reads each message once, a record each, and nothing more where all is well', async () => {
  const world = new OutboundWorld({ idleMs: 5_000 });
  world.tending = false;
  const app = await world.createApplication();
  await world.createEndpoint(app, () => answered(200));
  world.start();
  for (let n = 0; n < 50; n++) await world.clock.complete(world.publish(app, `k${n}`), MINUTE_MS);
  await world.clock.advanceBy(5 * MINUTE_MS);
  await tendFor(world, 4 * HOUR_MS);
  const units = world.database.usage.get('outbox')?.readUnits ?? 0;
  await tendFor(world, 4 * HOUR_MS);
  expect(world.requests).toHaveLength(50);
  // Lists that are empty, the notes of three hours in each of the looks at endpoints, and nothing of the fifty.
  expect((world.database.usage.get('outbox')?.readUnits ?? 0) - units).toBeLessThan(225);
});
