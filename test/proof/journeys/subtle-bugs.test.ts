/** The subtle bugs that almost every serverless webhook project has, one named test each: what ours does instead. */
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { faultAt } from './support/fault-at.ts';
import { handlerThat } from './support/handlers.ts';

const createdAt = 1_767_571_200_000;

// Holds I1, I2.
describe('subtle bug 1: the duplicate check answers 200 for an event that was never enqueued', () => {
  it('sends the event on the next delivery, without any sweeper', async () => {
    const world = new MemoryWorld({ plan: faultAt('store.insert', 1, 'crash_after') });
    expect(await world.post({ id: 'evt_1', createdAt })).toBeUndefined();
    // Until then the first request may be at work, and the event is left to it and to the sweeper.
    await world.clock.advanceBy(31 * SECOND_MS);
    expect(await world.post({ id: 'evt_1', createdAt })).toMatchObject({ status: 200 });
    world.mapping.enable();
    await world.clock.advanceBy(5 * SECOND_MS);
    expect(world.effects('evt_1')).toBe(1);
  });

  it('sends the event by the sweeper when nobody delivers again', async () => {
    const world = new MemoryWorld({ plan: faultAt('queue.send', 1, 'crash_before') });
    expect(await world.post({ id: 'evt_1' })).toBeUndefined();
    world.start();
    expect(await world.settle()).toBe(true);
    expect(world.effects('evt_1')).toBe(1);
  });
});

// Holds I5.
it("subtle bug 2: the SDK's own retry does not make the writer its own duplicate", async () => {
  const world = new MemoryWorld({ plan: faultAt('store.insert', 1, 'lost_reply_retried') });
  expect(await world.post({ id: 'evt_1' })).toMatchObject({ body: '{"status":"accepted","event_id":"evt_1"}' });
  expect(world.main.sent).toBe(1);
});

// Holds I5, I9.
it("subtle bug 2: nor does it make the owner of a claim, or of an outage's record, its own rival", async () => {
  const claimed = new MemoryWorld({
    planOf: role => (role === 'process' ? faultAt('store.update', 1, 'lost_reply_retried') : () => undefined),
  });
  const outage = faultAt('payloads.putBody', 1, 'error');
  const twice = faultAt('store.insert', 1, 'lost_reply_retried');
  const recorded = new MemoryWorld({ planOf: role => (role === 'ingest' ? outage : twice) });
  for (const world of [claimed, recorded]) {
    await world.post({ id: 'evt_1' });
    world.mapping.enable();
    await world.clock.advanceBy(SECOND_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
    expect(world.outside).toHaveLength(1);
  }
});

// Holds I11.
it.each(['payloads.putBody', 'store.insert', 'queue.send', 'store.update'])(
  'subtle bug 3: a %s that never times out does not eat the time of the provider',
  async name => {
    const world = new MemoryWorld({ plan: faultAt(name, 1, 'hang'), process: { clientTimeoutMs: DAY_MS } });
    const start = world.clock.now();
    expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 200 });
    expect(world.clock.now() - start).toBeLessThanOrEqual(3 * SECOND_MS);
    world.start();
    expect(await world.settle()).toBe(true);
    expect(world.effects('evt_1')).toBe(1);
  },
);

// Holds I2, I7.
it('subtle bug 4: a copy that finds its event in progress is not acknowledged, so a dead owner loses nothing', async () => {
  const slowOnce = handlerThat(({ nth, world }) =>
    nth === 1 ? world.clock.sleep(HOUR_MS).then(() => undefined as never) : undefined,
  );
  const world = new MemoryWorld({ handlers: slowOnce, queue: { visibilitySeconds: 5, duplicateRate: 0 } });
  await world.post({ id: 'evt_1' });
  world.mapping.enable();
  await world.clock.advanceBy(10 * SECOND_MS);
  expect(world.main.dump().map(it => it.receiveCount)).toEqual([2]);
  world.process.killBusy();
  await world.clock.advanceBy(3 * MINUTE_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
  expect(world.effects('evt_1')).toBe(1);
});

// Holds I4, I5.
describe('subtle bug 5: an owner that thaws after its lease changes nothing', () => {
  it('when it had finished', async () => {
    const world = new MemoryWorld({ plan: faultAt('store.transact', 1, 'stall') });
    await world.post({ id: 'evt_1' });
    world.start();
    await world.clock.advanceBy(10 * MINUTE_MS);
    const completed = world.item('evt_1');
    expect(completed).toMatchObject({ status: 'completed', attempts: 2 });
    await world.clock.advanceBy(20 * MINUTE_MS);
    expect(world.item('evt_1')).toEqual(completed);
    expect(world.effects('evt_1')).toBe(1);
    expect(world.telemetry.total('LeaseLost')).toBe(1);
  });

  it('when it had failed', async () => {
    const failsOnce = handlerThat(({ nth }) => (nth === 1 ? Promise.reject(new Error('first')) : undefined));
    const planOf = () => faultAt('store.update', 2, 'stall');
    const world = new MemoryWorld({
      handlers: failsOnce,
      planOf: role => (role === 'process' ? planOf() : () => undefined),
    });
    await world.post({ id: 'evt_1' });
    world.start();
    await world.clock.advanceBy(10 * MINUTE_MS);
    const completed = world.item('evt_1');
    expect(completed?.status).toBe('completed');
    await world.clock.advanceBy(20 * MINUTE_MS);
    expect(world.item('evt_1')).toEqual(completed);
    expect(world.telemetry.total('LeaseLost')).toBe(1);
  });

  it.each([
    ['finished', 'store.transact', 1],
    ['failed', 'store.update', 2],
  ] as const)('while the next owner is at work, when it had %s', async (_name, call, nth) => {
    const handlers = handlerThat(({ nth: attempt, world }) => {
      if (attempt === 2) return world.clock.sleep(20 * SECOND_MS).then(() => undefined as never);
      return call === 'store.update' ? Promise.reject(new Error('first')) : undefined;
    });
    const stall = faultAt(call, nth, 'stall');
    const world = new MemoryWorld({
      handlers,
      planOf: role => (role === 'process' ? stall : () => undefined),
      process: { stallMs: 45 * SECOND_MS },
      queue: { visibilitySeconds: 38, duplicateRate: 0 },
    });
    await world.post({ id: 'evt_1' });
    world.mapping.enable();
    await world.clock.advanceBy(50 * SECOND_MS);
    expect(world.telemetry.total('LeaseLost')).toBe(1);
    expect(world.item('evt_1')).toMatchObject({ status: 'processing', attempts: 2 });
    expect(world.effects('evt_1')).toBe(0);
    await world.clock.advanceBy(30 * SECOND_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2, recentAttempts: [{ n: 2 }] });
    expect(world.effects('evt_1')).toBe(1);
  });
});

// Holds I5, I7.
it('subtle bug 6: one slow record of ten is tried again, and its late end has no effect after the response', async () => {
  let lateEnds = 0;
  const ninthIsSlow = handlerThat(({ nth, id, world }, _event, context) => {
    if (id !== 'evt_9' || nth > 1) return undefined;
    return world.clock.sleep(50 * SECOND_MS).then(() => {
      lateEnds += 1;
      context.transact([{ kind: 'update', table: 'effects', key: { id }, add: { times: 1 } }]);
      return { kind: 'done' as const };
    });
  });
  const world = new MemoryWorld({ handlers: ninthIsSlow });
  for (let n = 1; n <= 10; n++) await world.post({ id: `evt_${n}` });
  world.start();
  await world.clock.advanceBy(29 * SECOND_MS);
  expect(world.items().filter(it => it.status === 'completed')).toHaveLength(9);
  expect(world.item('evt_9')).toMatchObject({ status: 'failed', recentAttempts: [{ n: 1, cause: 'timeout' }] });
  expect(await world.settle()).toBe(true);
  expect(lateEnds).toBe(1);
  expect(world.items().map(it => world.effects(String(it.pk).slice('default#'.length)))).toEqual(Array(10).fill(1));
});
