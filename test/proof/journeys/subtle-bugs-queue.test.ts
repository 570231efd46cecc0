/** The subtle bugs around queue, deploys and TTL, one named test each: what ours does instead. */
import { describe, expect, it } from 'vitest';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { handleBatch } from '#lambdas/process/handle-batch.ts';
import { failedOf } from '#test/kit/memory/queue/memory-mapping.ts';
import { SimulatedProcess } from '#test/kit/memory/simulated-process.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { complaintsAbout } from './oracle.ts';
import { handlerThat } from './support/handlers.ts';

const createdAt = 1_767_571_200_000;

// Holds I7.
it('subtle bug 7: the answer names exactly the records that must come back, in the shape the mapping reads', async () => {
  const world = new MemoryWorld({
    handlers: handlerThat(({ world: { clock } }) => clock.sleep(HOUR_MS).then(() => undefined as never)),
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
  const notOurs = { ...record(second), body: 'not ours' };
  const answer = handle({ Records: [record(first), notOurs] } as never, { getRemainingTimeInMillis: () => 30_000 });
  const payload = JSON.stringify(await world.clock.complete(answer));
  expect(payload).toBe(`{"batchItemFailures":[{"itemIdentifier":"${first.messageId}"}]}`);
  expect([...failedOf({ kind: 'returned', payload }, [first, second], true)]).toEqual([first.messageId]);
});

// Holds I2, I9.
it('subtle bug 8: an hour of a deploy that cannot start costs no attempt and dead-letters nothing', async () => {
  const world = new MemoryWorld();
  world.process.brokenDeploy = true;
  for (let n = 0; n < 20; n++) await world.post({ id: `evt_${n}` });
  world.start();
  await world.clock.advanceBy(HOUR_MS);
  expect(world.dead.dump()).toEqual([]);
  expect(Math.max(...world.main.dump().map(it => it.receiveCount))).toBeGreaterThan(15);
  world.process.brokenDeploy = false;
  expect(await world.settle()).toBe(true);
  expect(new Set(world.items().map(it => `${it.status} ${it.attempts}`))).toEqual(new Set(['completed 1']));
  expect(world.dead.dump()).toEqual([]);
  expect(complaintsAbout(world)).toEqual([]);
});

// Holds I2, I12.
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
  await world.clock.advanceBy(10 * SECOND_MS);
  for (const item of world.items().filter(it => it.pk.startsWith('healthy#'))) {
    latencies.push((item.completedAt ?? Number.POSITIVE_INFINITY) - item.receivedAt);
  }
  latencies.sort((a, b) => a - b);
  expect(mostInFlight).toBeLessThan(50);
  expect(latencies).toHaveLength(100);
  expect(latencies.at(-2)).toBeLessThan(5 * SECOND_MS);
});

// Holds I8, I14.
describe('subtle bug 10: TTL that forgets too early, or never', () => {
  it('keeps an event that waits for a month, and its body', async () => {
    const world = new MemoryWorld();
    await world.clock.complete(world.pause('default', true));
    await world.post({ id: 'evt_1' });
    world.start();
    await world.clock.advanceBy(MINUTE_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'deferred', parked: true });
    world.stop();
    await world.clock.advanceBy(31 * DAY_MS);
    expect(world.item('evt_1')).not.toHaveProperty('expiresAt');
    world.start();
    await world.clock.complete(world.pause('default', false));
    expect(await world.settle()).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed' });
  });

  it('knows a duplicate on day 4, and while an expired record is not deleted yet', async () => {
    const world = new MemoryWorld({ database: { ttlDelayMs: () => 48 * HOUR_MS } });
    await world.post({ id: 'evt_1', createdAt });
    world.start();
    await world.settle();
    world.stop();
    const expiresAt = world.item('evt_1')?.expiresAt ?? 0;
    expect(expiresAt * 1_000 - world.clock.now()).toBeGreaterThan(29.9 * DAY_MS);
    for (const day of [4, 30.5]) {
      await world.clock.advanceTo(createdAt + day * DAY_MS);
      expect(await world.post({ id: 'evt_1', createdAt })).toMatchObject({
        body: expect.stringContaining('already_processed'),
      });
    }
    expect(world.clock.now() / 1_000).toBeGreaterThan(expiresAt);
    await world.clock.advanceBy(3 * DAY_MS);
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
