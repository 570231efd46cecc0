/** The subtle bugs that almost every serverless webhook project has, one named test each: what ours does instead. */
import { describe, expect, it } from 'vitest';
import { failedOf } from '#adapters/memory/memory-mapping.ts';
import { SimulatedProcess } from '#adapters/memory/simulated-process.ts';
import { defineHandlers, done } from '#core/inbound/handler-contract.ts';
import { handleBatch } from '#lambdas/process/handle-batch.ts';
import { MemoryWorld } from '#test/support/memory-world.ts';
import { complaintsAbout } from './oracle.ts';
import { faultAt } from './support/fault-at.ts';
import { handlerThat } from './support/handlers.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const createdAt = 1_767_571_200_000;

describe('subtle bug 1: the duplicate check answers 200 for an event that was never enqueued', () => {
  it('sends the event on the next delivery, without any sweeper', async () => {
    const world = new MemoryWorld({ plan: faultAt('store.insert', 1, 'crash_after') });
    expect(await world.post({ id: 'evt_1', createdAt })).toBeUndefined();
    expect(await world.post({ id: 'evt_1', createdAt })).toMatchObject({ status: 200 });
    world.mapping.enable();
    await world.clock.advanceBy(5 * SECOND);
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

it("subtle bug 2: the SDK's own retry does not make the writer its own duplicate", async () => {
  const world = new MemoryWorld({ plan: faultAt('store.insert', 1, 'lost_reply_retried') });
  expect(await world.post({ id: 'evt_1' })).toMatchObject({ body: '{"status":"accepted","event_id":"evt_1"}' });
  expect(world.main.sent).toBe(1);
});

it.each(['payloads.putBody', 'store.insert', 'queue.send', 'store.update'])(
  'subtle bug 3: a %s that never times out does not eat the time of the provider',
  async name => {
    const world = new MemoryWorld({ plan: faultAt(name, 1, 'hang'), process: { clientTimeoutMs: DAY } });
    const start = world.clock.now();
    expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 200 });
    expect(world.clock.now() - start).toBeLessThanOrEqual(3 * SECOND);
    world.start();
    expect(await world.settle()).toBe(true);
    expect(world.effects('evt_1')).toBe(1);
  },
);

it('subtle bug 4: a copy that finds its event in progress is not acknowledged, so a dead owner loses nothing', async () => {
  const slowOnce = handlerThat(({ nth, world }) =>
    nth === 1 ? world.clock.sleep(HOUR).then(() => undefined as never) : undefined,
  );
  const world = new MemoryWorld({ handlers: slowOnce, queue: { visibilitySeconds: 5, duplicateRate: 0 } });
  await world.post({ id: 'evt_1' });
  world.mapping.enable();
  await world.clock.advanceBy(10 * SECOND);
  expect(world.main.dump().map(it => it.receiveCount)).toEqual([2]);
  world.process.killBusy();
  await world.clock.advanceBy(3 * MINUTE);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
  expect(world.effects('evt_1')).toBe(1);
});

describe('subtle bug 5: an owner that thaws after its lease changes nothing', () => {
  it('when it had finished', async () => {
    const world = new MemoryWorld({ plan: faultAt('store.transact', 1, 'stall') });
    await world.post({ id: 'evt_1' });
    world.start();
    await world.clock.advanceBy(10 * MINUTE);
    const completed = world.item('evt_1');
    expect(completed).toMatchObject({ status: 'completed', attempts: 2 });
    await world.clock.advanceBy(20 * MINUTE);
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
    await world.clock.advanceBy(10 * MINUTE);
    const completed = world.item('evt_1');
    expect(completed?.status).toBe('completed');
    await world.clock.advanceBy(20 * MINUTE);
    expect(world.item('evt_1')).toEqual(completed);
    expect(world.telemetry.total('LeaseLost')).toBe(1);
  });

  it.each([
    ['finished', 'store.transact', 1],
    ['failed', 'store.update', 2],
  ] as const)('while the next owner is at work, when it had %s', async (_name, call, nth) => {
    const handlers = handlerThat(({ nth: attempt, world }) => {
      if (attempt === 2) return world.clock.sleep(20 * SECOND).then(() => undefined as never);
      return call === 'store.update' ? Promise.reject(new Error('first')) : undefined;
    });
    const stall = faultAt(call, nth, 'stall');
    const world = new MemoryWorld({
      handlers,
      planOf: role => (role === 'process' ? stall : () => undefined),
      process: { stallMs: 45 * SECOND },
      queue: { visibilitySeconds: 38, duplicateRate: 0 },
    });
    await world.post({ id: 'evt_1' });
    world.mapping.enable();
    await world.clock.advanceBy(50 * SECOND);
    expect(world.telemetry.total('LeaseLost')).toBe(1);
    expect(world.item('evt_1')).toMatchObject({ status: 'processing', attempts: 2 });
    expect(world.effects('evt_1')).toBe(0);
    await world.clock.advanceBy(30 * SECOND);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2, recentAttempts: [{ n: 2 }] });
    expect(world.effects('evt_1')).toBe(1);
  });
});

it('subtle bug 6: one slow record of ten is tried again, and its late end has no effect after the response', async () => {
  let lateEnds = 0;
  const ninthIsSlow = handlerThat(({ nth, id, world }, _event, context) => {
    if (id !== 'evt_9' || nth > 1) return undefined;
    return world.clock.sleep(50 * SECOND).then(() => {
      lateEnds += 1;
      context.transact([{ kind: 'update', table: 'effects', key: { id }, add: { times: 1 } }]);
      return { kind: 'done' as const };
    });
  });
  const world = new MemoryWorld({ handlers: ninthIsSlow });
  for (let n = 1; n <= 10; n++) await world.post({ id: `evt_${n}` });
  world.start();
  await world.clock.advanceBy(29 * SECOND);
  expect(world.items().filter(it => it.status === 'completed')).toHaveLength(9);
  expect(world.item('evt_9')).toMatchObject({ status: 'failed', recentAttempts: [{ n: 1, cause: 'timeout' }] });
  expect(await world.settle()).toBe(true);
  expect(lateEnds).toBe(1);
  expect(world.items().map(it => world.effects(String(it.pk).slice('default#'.length)))).toEqual(Array(10).fill(1));
});

it('subtle bug 7: the answer names exactly the records that must come back, in the shape the mapping reads', async () => {
  const world = new MemoryWorld({
    handlers: handlerThat(({ world: { clock } }) => clock.sleep(HOUR).then(() => undefined as never)),
  });
  await world.post({ id: 'evt_1' });
  await world.post({ id: 'evt_2' });
  const [first, second] = world.main.receive(2);
  if (!first || !second) throw new Error('two messages were sent');
  const ports = world.processPorts(new SimulatedProcess({ clock: world.clock }));
  const record = (message: typeof first) => ({
    messageId: message.messageId,
    receiptHandle: message.receipt,
    body: message.body,
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(message.sentAt) },
  });
  const handle = handleBatch(ports, world.rules);
  // The first is owned by a call under way; its copy must come back. The second is not ours: dealt with, not to come back.
  void handle({ Records: [record(first)] } as never, { getRemainingTimeInMillis: () => 30_000 });
  await world.clock.advanceBy(1);
  const foreign = { ...record(second), body: 'not ours' };
  const answer = handle({ Records: [record(first), foreign] } as never, { getRemainingTimeInMillis: () => 30_000 });
  const payload = JSON.stringify(await world.clock.complete(answer));
  expect(payload).toBe(`{"batchItemFailures":[{"itemIdentifier":"${first.messageId}"}]}`);
  expect([...failedOf({ kind: 'returned', payload }, [first, second], true)]).toEqual([first.messageId]);
});

it('subtle bug 8: an hour of a deploy that cannot start costs no attempt and dead-letters nothing', async () => {
  const world = new MemoryWorld();
  world.process.brokenDeploy = true;
  for (let n = 0; n < 20; n++) await world.post({ id: `evt_${n}` });
  world.start();
  await world.clock.advanceBy(HOUR);
  expect(world.dead.dump()).toEqual([]);
  expect(Math.max(...world.main.dump().map(it => it.receiveCount))).toBeGreaterThan(15);
  world.process.brokenDeploy = false;
  expect(await world.settle()).toBe(true);
  expect(new Set(world.items().map(it => `${it.status} ${it.attempts}`))).toEqual(new Set(['completed 1']));
  expect(complaintsAbout(world)).toEqual([]);
});

it('subtle bug 9: a failing source waits outside the queue, and the in-flight limit never stops the others', async () => {
  const handlers = () =>
    defineHandlers([
      { source: 'broken', type: '*', handle: () => Promise.reject(new Error('down')) },
      { source: 'healthy', type: '*', handle: async () => done() },
    ]);
  const world = new MemoryWorld({ handlers, sources: ['broken', 'healthy'], queue: { inFlightLimit: 50 } });
  world.start();
  let mostInFlight = 0;
  const latencies: number[] = [];
  for (let n = 0; n < 400; n++) {
    await world.post({ id: `bad_${n}`, source: 'broken' });
    if (n % 4 === 0) await world.post({ id: `good_${n}`, source: 'healthy' });
    await world.clock.advanceBy(200);
    mostInFlight = Math.max(mostInFlight, world.main.numbers().hidden);
  }
  await world.clock.advanceBy(10 * SECOND);
  for (const item of world.items().filter(it => it.pk.startsWith('healthy#'))) {
    latencies.push((item.completedAt ?? Number.POSITIVE_INFINITY) - item.receivedAt);
  }
  latencies.sort((a, b) => a - b);
  expect(mostInFlight).toBeLessThan(50);
  expect(latencies).toHaveLength(100);
  expect(latencies.at(-2)).toBeLessThan(5 * SECOND);
});

describe('subtle bug 10: TTL that forgets too early, or never', () => {
  it('keeps an event that waits for a month, and its body', async () => {
    const world = new MemoryWorld();
    await world.clock.complete(world.pause('default', true));
    await world.post({ id: 'evt_1' });
    world.start();
    await world.clock.advanceBy(MINUTE);
    expect(world.item('evt_1')).toMatchObject({ status: 'deferred', parked: true });
    world.stop();
    await world.clock.advanceBy(31 * DAY);
    expect(world.item('evt_1')).not.toHaveProperty('expiresAt');
    world.start();
    await world.clock.complete(world.pause('default', false));
    expect(await world.settle()).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed' });
  });

  it('knows a duplicate on day 4, and while an expired record is not deleted yet', async () => {
    const world = new MemoryWorld({ database: { ttlDelayMs: () => 48 * HOUR } });
    await world.post({ id: 'evt_1', createdAt });
    world.start();
    await world.settle();
    world.stop();
    const expiresAt = world.item('evt_1')?.expiresAt ?? 0;
    expect(expiresAt * 1_000 - world.clock.now()).toBeGreaterThan(29.9 * DAY);
    for (const day of [4, 30.5]) {
      await world.clock.advanceTo(createdAt + day * DAY);
      expect(await world.post({ id: 'evt_1', createdAt })).toMatchObject({
        body: expect.stringContaining('already_processed'),
      });
    }
    expect(world.clock.now() / 1_000).toBeGreaterThan(expiresAt);
    await world.clock.advanceBy(3 * DAY);
    expect(world.item('evt_1')).toBeUndefined();
  });

  it('takes the lifetime away when the event is replayed', async () => {
    const world = new MemoryWorld();
    await world.post({ id: 'evt_1' });
    world.start();
    await world.settle();
    world.stop();
    await world.clock.complete(world.replay('evt_1', { replayId: 'r1', by: 'test', why: 'test' }));
    expect(world.item('evt_1')).toMatchObject({ status: 'pending', gen: 2 });
    expect(world.item('evt_1')).not.toHaveProperty('expiresAt');
  });
});
