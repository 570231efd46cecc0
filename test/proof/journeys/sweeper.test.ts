/** What the sweeper sends, how often, and what it leaves alone. */
import { describe, expect, it } from 'vitest';
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { busy, PermanentError } from '#core/handler/handler-contract.ts';
import { countDeaths } from '#core/inbound/sweep/count-deaths.ts';
import type { SweepRun } from '#core/inbound/sweep/sweep-run.ts';
import { type Deaths, noteSweeper } from '#core/inbound/sweep/sweeper-record.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { recordCalls } from '#test/kit/memory/faults.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { EVENTS, MemoryWorld, type Role, type WorldOptions } from '#test/kit/memory-world.ts';
import { faultAt } from './support/fault-at.ts';
import { handlerThat } from './support/handlers.ts';

const FAR = Date.parse('9999-12-31T23:59:59Z');
const calm = { queue: { duplicateRate: 0 }, deadQueue: { duplicateRate: 0 } } satisfies WorldOptions;
const only =
  (role: Role, name: string, fault: 'stall' | 'crash_before' | 'error'): NonNullable<WorldOptions['planOf']> =>
  it =>
    it === role ? faultAt(name, 1, fault) : () => undefined;

/** An event whose messages are all lost: what happens is the sweeper's doing. */
async function forgotten(options: WorldOptions = {}): Promise<MemoryWorld> {
  const world = new MemoryWorld({ ...calm, queue: { duplicateRate: 0, retentionSeconds: 30 }, ...options });
  await world.post({ id: 'evt_1' });
  world.start();
  world.mapping.disable();
  return world;
}

// Holds I2, I3, I12.
describe('an event that was never sent', () => {
  it('is sent once, not every minute until somebody claims it', async () => {
    const world = new MemoryWorld({ ...calm, plan: faultAt('queue.send', 1, 'error') });
    await world.post({ id: 'evt_1' });
    world.start();
    world.mapping.disable();
    await world.clock.advanceBy(15 * MINUTE_MS);
    expect(world.main.sent).toBe(1);
    expect(world.item('evt_1')).toMatchObject({ status: 'pending', resends: 0 });
    expect(world.item('evt_1')?.enqueuedAt).toBeGreaterThan(0);
  });
});

// Holds I2, I12.
describe('an event whose message is lost', () => {
  it('is sent again after growing waits, and counted', async () => {
    const world = await forgotten();
    const sentAt: number[] = [];
    world.main.onSent = () =>
      sentAt.push(Math.round((world.clock.now() - (world.item('evt_1')?.receivedAt ?? 0)) / MINUTE_MS));
    await world.clock.advanceBy(3.5 * HOUR_MS);
    // The first is not counted: it may be the first of all.
    expect(sentAt).toEqual([3, 19, 35, 66, 127]);
    expect(world.item('evt_1')?.resends).toBe(4);
    expect(world.telemetry.total('SweeperResent')).toBe(4);
  });

  it('is not sent again while others wait in the queue: it may be behind them', async () => {
    const world = await forgotten({ queue: { duplicateRate: 0 } });
    await world.clock.advanceBy(4 * HOUR_MS);
    // Once by ingest, and once when the sweeper met it unclaimed: it may never have been sent.
    expect(world.main.sent).toBe(2);
    expect(world.item('evt_1')?.resends).toBe(0);
  });

  it('counts anew once it was claimed', async () => {
    const world = await forgotten();
    await world.clock.advanceBy(40 * MINUTE_MS);
    expect(world.item('evt_1')?.resends).toBe(2);
    world.mapping.enable();
    await world.clock.advanceBy(HOUR_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', resends: 0 });
  });

  it('dies without a trace of the attempt it waited for', async () => {
    const handlers = handlerThat(({ nth }) => (nth === 1 ? Promise.resolve(busy(10, 'asked')) : undefined));
    const world = await forgotten({
      handlers,
      timings: LOCAL_TIMINGS,
      queue: { duplicateRate: 0, retentionSeconds: 30 },
    });
    world.mapping.enable();
    await world.clock.advanceBy(2 * SECOND_MS);
    world.mapping.disable();
    expect(world.item('evt_1')).toMatchObject({ status: 'failed', attempts: 1 });
    await world.clock.advanceBy(3 * HOUR_MS);
    const dead = world.item('evt_1');
    expect(dead).toMatchObject({ status: 'dead_letter', cause: 'unclaimable', dlqSent: true });
    for (const gone of ['nextAttemptAt', 'parked', 'owner', 'leaseUntil', 'watchAt'])
      expect(dead).not.toHaveProperty(gone);
  });
});

// Holds I2, I8.
describe('a parked event', () => {
  const longWait = (): WorldOptions => ({
    ...calm,
    timings: LOCAL_TIMINGS,
    handlers: handlerThat(({ nth }) => (nth === 1 ? Promise.resolve(busy(90, 'asked')) : undefined)),
  });

  it('is sent before it is taken off the shelf, so that a crash in between costs a minute and not more', async () => {
    const world = new MemoryWorld({
      ...longWait(),
      timings: { ...LOCAL_TIMINGS, overdueMs: 10 * MINUTE_MS, resendWaitMs: 15 * MINUTE_MS },
      planOf: only('sweep', 'queue.send', 'crash_before'),
    });
    await world.post({ id: 'evt_1' });
    world.start();
    await world.clock.advanceBy(4 * MINUTE_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('that falls due while its source is paused waits where the sweeper does not look, and is not sent', async () => {
    const world = new MemoryWorld(longWait());
    await world.post({ id: 'evt_1' });
    world.start();
    await world.clock.advanceBy(10 * SECOND_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'failed', parked: true });
    await world.clock.complete(world.pause('default', true));
    const { sent } = world.main;
    await world.clock.advanceBy(10 * MINUTE_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'failed', parked: true, watchAt: FAR });
    expect(world.main.sent).toBe(sent);
    await world.clock.complete(world.pause('default', false));
    await world.clock.advanceBy(3 * MINUTE_MS);
    expect(world.item('evt_1')?.status).toBe('completed');
  });
});

// Holds I4, I8.
describe('two sweepers', () => {
  it('at once: the second begins when the first has noted its end', async () => {
    const spans: number[][] = [];
    const world = new MemoryWorld(calm);
    const run = async (): Promise<void> => {
      const begun = world.clock.now();
      await world.sweeper.invoke({});
      spans.push([begun, world.clock.now()]);
    };
    await world.clock.complete(Promise.all([run(), run()]));
    expect(world.telemetry.total('SweeperRuns')).toBe(2);
    expect(Math.max(...spans.map(([begun = 0, ended = 0]) => ended - begun))).toBeLessThan(2 * SECOND_MS);
  });

  it('where the first is killed: the second leaves after four seconds, for the lease holds until its time is over', async () => {
    const world = new MemoryWorld({ ...calm, planOf: only('sweep', 'gauge.main', 'crash_before') });
    await world.clock.complete(world.sweeper.invoke({}));
    const before = world.clock.now();
    await world.clock.complete(world.sweeper.invoke({}));
    expect(world.telemetry.total('SweeperRuns')).toBe(0);
    expect(world.clock.now() - before).toBeLessThan(5 * SECOND_MS);
    await world.clock.advanceBy(MINUTE_MS);
    await world.clock.complete(world.sweeper.invoke({}));
    expect(world.telemetry.total('SweeperRuns')).toBe(1);
  });

  it('where the first froze and goes on: it changes nothing that the second changed', async () => {
    const world = await forgotten({
      planOf: only('sweep', 'store.update', 'stall'),
      process: { stallMs: 150 * SECOND_MS },
    });
    await world.clock.advanceBy(6 * MINUTE_MS);
    const swept = world.item('evt_1');
    expect(swept?.watchAt).toBeGreaterThan(world.clock.now());
    await world.clock.advanceBy(5 * MINUTE_MS);
    expect(world.item('evt_1')).toEqual(swept);
  });
});

// Holds I2.
it('a dead event whose message was not sent is finished by the next copy, without any sweeper', async () => {
  const world = new MemoryWorld({
    ...calm,
    handlers: handlerThat(() => Promise.resolve('no outcome' as never)),
    plan: faultAt('dead.send', 1, 'crash_before'),
  });
  await world.post({ id: 'evt_1' });
  world.mapping.enable();
  await world.clock.advanceBy(2 * SECOND_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', dlqSent: false });
  await world.clock.advanceBy(4 * MINUTE_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', dlqSent: true });
  expect(world.dead.dump()).toHaveLength(1);
});

describe('the numbers that alarms look at', () => {
  it('are asked of both queues every minute, also when nothing happens: SQS stops reporting on a queue nobody uses', async () => {
    const calls: string[] = [];
    const world = new MemoryWorld({ planOf: role => (role === 'sweep' ? recordCalls(calls) : () => undefined) });
    world.start();
    await world.clock.advanceBy(3 * MINUTE_MS + SECOND_MS);
    expect(calls.filter(it => it.startsWith('gauge.'))).toEqual(
      Array.from({ length: 3 }, () => ['gauge.main', 'gauge.dead']).flat(),
    );
  });

  it('count the life of a dead letter from its death, as its queue does: our own send starts a fresh clock', async () => {
    let diedAt = 0;
    const world = new MemoryWorld({
      ...calm,
      handlers: handlerThat(({ nth, world: it }) => {
        if (nth === 1) return Promise.resolve(busy(3 * 3_600, 'the bank is closed'));
        diedAt = it.clock.now();
        return Promise.reject(new PermanentError('for good'));
      }),
    });
    world.start();
    await world.post({ id: 'evt_1' });
    expect(await world.settle(DAY_MS)).toBe(true);
    expect(diedAt - (world.item('evt_1')?.receivedAt ?? 0)).toBeGreaterThan(2 * HOUR_MS);
    world.stop();
    await world.clock.advanceTo(diedAt + 13 * DAY_MS);
    await world.clock.complete(world.sweeper.invoke({}));
    const last = world.telemetry.measures.findLast(it => it.metric === 'DlqOldestExpiresIn');
    expect(last?.value).toBeCloseTo(DAY_MS / SECOND_MS, -2);
    expect(world.dead.dump()).toHaveLength(1);
    await world.clock.advanceTo(diedAt + 14 * DAY_MS + HOUR_MS);
    expect(world.dead.receive(1)).toEqual([]);
    // Open still, and its message gone: nothing is about to expire, and the alarm can tell the next one.
    const before = world.telemetry.measures.length;
    await world.clock.complete(world.sweeper.invoke({}));
    const told = world.telemetry.measures.slice(before);
    expect(told).toContainEqual(expect.objectContaining({ metric: 'OpenDeadLetters', value: 1 }));
    expect(told.filter(it => it.metric === 'DlqOldestExpiresIn')).toEqual([]);
  });

  it('are told as far as they are known: dead letters that cannot be counted keep nothing else from being told', async () => {
    const handlers = handlerThat(() => Promise.reject(new PermanentError('for good')));
    const world = new MemoryWorld({ ...calm, handlers, planOf: only('sweep', 'store.attention', 'error') });
    world.mapping.enable();
    await world.post({ id: 'evt_1' });
    await world.clock.advanceBy(5 * SECOND_MS);
    await world.clock.complete(world.sweeper.invoke({}));
    const told = world.telemetry.measures.map(it => it.metric);
    expect(told).toEqual(expect.arrayContaining(['UnsentOldestAge', 'UnfinishedOldestAge', 'ParkedDue']));
    expect(told).not.toContain('OpenDeadLetters');
    expect(world.telemetry.total('SweeperRuns')).toBe(0);
    expect(world.telemetry.total('DependencyError')).toBe(1);
    await world.clock.advanceBy(MINUTE_MS);
    await world.clock.complete(world.sweeper.invoke({}));
    expect(world.telemetry.total('SweeperRuns')).toBe(1);
  });
});

// Holds I2: what waits behind idle sources is sent again within its minute.
describe('an environment with many sources', () => {
  it('looks at all of them side by side: 106 idle sources take less than a second of waiting', async () => {
    const sources = Array.from({ length: 106 }, (_, n) => `source-${n}`);
    const latencyMs = () => ({ there: 2, back: 3 });
    const world = new MemoryWorld({ ...calm, sources, processOf: () => ({ latencyMs }) });
    await world.clock.complete(world.sweeper.invoke({}));
    // The first look goes through a day of each source; this is a minute without anything.
    await world.clock.advanceBy(MINUTE_MS);
    const from = world.clock.now();
    await world.clock.complete(world.sweeper.invoke({}));
    expect(world.telemetry.total('SweeperRuns')).toBe(2);
    expect(world.clock.now() - from).toBeLessThan(SECOND_MS);
  });
});

// Holds I6.
describe('dead letters that cannot all be counted in a run', () => {
  it('are said to be at least those that were', async () => {
    const guard = () => Promise.resolve(undefined);
    const store = { attention: () => Promise.resolve({ items: [{ attentionAt: '0' }], cursor: 'more' }) };
    const clock = { now: () => 10 };
    const run = (sources: readonly string[]): SweepRun =>
      ({ guard, ports: { store, clock }, rules: { deadQueueRetentionSeconds: 60 }, sources, until: 5 }) as never;
    expect(await countDeaths(run(['shop', 'pay']))).toMatchObject({ open: 2, complete: false });
    expect(await countDeaths(run([]))).toMatchObject({ open: 0, complete: true });
  });
});

/** More dead letters than one look at the index shows; the last count of them was made a second ago. */
async function countedASecondAgo(deaths: Omit<Deaths, 'at' | 'inQueue'>): Promise<MemoryWorld> {
  const world = new MemoryWorld({ ...calm, sources: ['shop', 'pay'], database: { indexLagMs: () => 0 } });
  const at = world.clock.now();
  for (let n = 0; n < 1_001; n++) {
    const source = n % 2 === 0 ? 'shop' : 'pay';
    const item = {
      pk: `${source}#old_${n}`,
      attentionSource: source,
      attentionAt: `${at - 20 * DAY_MS + n}#handler_error`,
    };
    world.database.write({ kind: 'put', table: EVENTS, item });
  }
  const counted = { ...deaths, at: at - SECOND_MS, inQueue: 0 };
  await noteSweeper({ deaths: counted }, new MemoryControlStore(world.database, EVENTS));
  return world;
}

// Holds I7: beside an older count the queue is left alone, and after the next one what is dealt with goes.
it('drains the dead-letter queue only beside a count of the same run', async () => {
  const world = await countedASecondAgo({ open: 10_000, complete: true });
  let looks = 0;
  world.dead.onReceived = () => {
    looks += 1;
  };
  world.dead.send('not ours');
  await world.clock.complete(world.sweeper.invoke({}));
  expect(looks).toBe(0);
  await world.clock.advanceBy(2 * MINUTE_MS);
  await world.clock.complete(world.sweeper.invoke({}));
  expect(looks).toBeGreaterThan(0);
});

// Holds I6.
it('tells the last whole count of the dead letters where a newer one was cut off', async () => {
  const world = await countedASecondAgo({ open: 10_000, complete: false, lastWhole: 60_000 });
  const toldNow = async (): Promise<number | undefined> => {
    await world.clock.complete(world.sweeper.invoke({}));
    return world.telemetry.measures.findLast(it => it.metric === 'OpenDeadLetters')?.value;
  };
  expect(await toldNow()).toBe(60_000);
  await world.clock.advanceBy(2 * MINUTE_MS);
  expect(await toldNow()).toBe(1_001);
});
