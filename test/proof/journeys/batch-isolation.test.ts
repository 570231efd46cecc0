/** Events that share a batch, a process or a queue do not share their fate. */
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { failedOf, MemoryMapping } from '#test/kit/memory/queue/memory-mapping.ts';
import { MemoryQueue } from '#test/kit/memory/queue/memory-queue.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { complaintsAbout } from './oracle.ts';
import { handlerThat } from './support/handlers.ts';
import { workOff } from './support/traces.ts';

const NEIGHBOURS = Array.from({ length: 9 }, (_, n) => `good_${n + 1}`);

async function postTen(world: MemoryWorld): Promise<void> {
  for (const id of [...NEIGHBOURS, 'poison']) await world.post({ id });
}

function expectGoodNeighbours(world: MemoryWorld): void {
  for (const id of NEIGHBOURS) {
    expect(world.item(id)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(world.effects(id)).toBe(1);
    expect(world.outside.filter(it => it.eventId === id)).toHaveLength(1);
  }
}

describe('an event whose handler throws', () => {
  it('is tried again after growing waits, then dead and in the DLQ, while nine neighbours of its batch complete once', async () => {
    const attemptsAt: number[] = [];
    const handlers = handlerThat(({ id, world }) => {
      if (id !== 'poison') return undefined;
      attemptsAt.push(world.clock.now());
      return Promise.reject(new Error('poison'));
    });
    const world = new MemoryWorld({ handlers, retry: { attempts: 8, baseSeconds: 4, capSeconds: 3_600 } });
    await postTen(world);
    const start = world.clock.now();
    world.start();
    await world.clock.advanceBy(SECOND_MS);
    expectGoodNeighbours(world);
    expect(world.main.dump()).toHaveLength(1);
    expect(await world.settle()).toBe(true);
    expect(world.item('poison')).toMatchObject({
      status: 'dead_letter',
      attempts: 8,
      cause: 'handler_error',
      dlqSent: true,
    });
    expect(world.dead.dump()).toHaveLength(1);
    const waits = attemptsAt.slice(1).map((at, n) => at - (attemptsAt[n] ?? start));
    // Full jitter: each wait is a random part of a ceiling that doubles. SQS delays and polls add up to two seconds.
    waits.forEach((wait, n) => {
      expect(wait).toBeGreaterThanOrEqual(SECOND_MS);
      expect(wait).toBeLessThanOrEqual(4 * SECOND_MS * 2 ** n + 3 * SECOND_MS);
    });
    expect(Math.max(...waits.slice(4))).toBeGreaterThan(2 * Math.max(...waits.slice(0, 3)));
    expectGoodNeighbours(world);
    expect(complaintsAbout(world)).toEqual([]);
  });

  it('for good is dead after one attempt, within a second', async () => {
    const handlers = handlerThat(({ id }) => {
      if (id !== 'poison') return undefined;
      const error = new Error('no retry can help');
      error.name = 'PermanentError';
      return Promise.reject(error);
    });
    const world = new MemoryWorld({ handlers });
    await postTen(world);
    world.start();
    await world.clock.advanceBy(SECOND_MS);
    expect(world.item('poison')).toMatchObject({
      status: 'dead_letter',
      attempts: 1,
      cause: 'permanent',
      dlqSent: true,
    });
    expectGoodNeighbours(world);
  });
});

describe('a process killed in the middle of a handler', () => {
  it('loses nothing: the event completes on redelivery, its effect once, with one key for the outside', async () => {
    const handlers = handlerThat(({ nth, id, world }, _event, context) => {
      if (nth > 1) return undefined;
      world.outside.push({ eventId: id, key: context.idempotencyKey, at: world.clock.now(), bytes: _event.bytes });
      return new Promise(() => {});
    });
    const world = new MemoryWorld({ handlers });
    await world.post({ id: 'evt_1' });
    world.start();
    await world.clock.advanceBy(5 * SECOND_MS);
    expect(world.item('evt_1')?.status).toBe('processing');
    expect(world.process.killBusy()).toBe(1);
    await world.clock.advanceBy(4 * MINUTE_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
    expect(world.effects('evt_1')).toBe(1);
    expect(world.outside.map(it => it.key)).toEqual(['default:evt_1:1', 'default:evt_1:1']);
  });

  it('by one event of its batch costs its neighbours two attempts at most, not their budget', async () => {
    const handlers = handlerThat(({ id, world }) => {
      if (id === 'poison') world.process.killBusy();
      return undefined;
    });
    const world = new MemoryWorld({
      handlers,
      retry: { attempts: 5, baseSeconds: 1, capSeconds: 1 },
      queue: { duplicateRate: 0 },
    });
    await postTen(world);
    expect(await workOff(world)).toBe(true);
    expect(world.item('poison')).toMatchObject({ status: 'dead_letter', cause: 'attempts_spent', dlqSent: true });
    for (const id of NEIGHBOURS) {
      expect(world.item(id)).toMatchObject({ status: 'completed' });
      expect(world.item(id)?.attempts).toBeLessThanOrEqual(3);
      expect(world.effects(id)).toBe(1);
    }
    expect(complaintsAbout(world)).toEqual([]);
  });
});

describe('a slow record', () => {
  it('never fails its batch: it is written as a retry before the time is over', async () => {
    const handlers = handlerThat(({ id, nth }) => (id === 'poison' && nth === 1 ? new Promise(() => {}) : undefined));
    const world = new MemoryWorld({ handlers });
    await postTen(world);
    const start = world.clock.now();
    world.start();
    while (world.item('poison')?.status !== 'failed') await world.clock.advanceBy(100);
    expect(world.clock.now() - start).toBeLessThan(world.timings.processTimeoutMs - 1_500);
    expectGoodNeighbours(world);
    expect(world.process.running).toBe(0);
    expect(await world.settle()).toBe(true);
    expect(world.item('poison')).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('that started late in a batch is returned unclaimed instead of being cut off', async () => {
    const handlers = handlerThat(({ world }) => world.clock.sleep(20 * SECOND_MS).then(() => undefined as never));
    const world = new MemoryWorld({ handlers, timings: { processTimeoutMs: 30_000 } });
    for (const id of NEIGHBOURS) await world.post({ id });
    // Received three times already: these run one at a time, and the time is enough for one of them.
    for (let n = 0; n < 3; n++) {
      for (let left = 9; left > 0; ) left -= Math.max(1, world.main.receive(10, 0).length);
    }
    world.start();
    await world.clock.advanceBy(29 * SECOND_MS);
    const started = world.items().filter(it => it.attempts > 0);
    expect(started.length).toBeGreaterThan(0);
    expect(await world.settle()).toBe(true);
    for (const id of NEIGHBOURS) expect(world.effects(id)).toBe(1);
    expect(new Set(world.items().map(it => it.status))).toEqual(new Set(['completed']));
  });
});

describe('the answer of a batch', () => {
  const batch = [{ messageId: 'm1' }, { messageId: 'm2' }];
  const all = ['m1', 'm2'];
  const returned = (payload: string | undefined) => ({ kind: 'returned', payload }) as const;
  it.each([
    ['an empty list', returned('{"batchItemFailures":[]}'), []],
    ['no list', returned('{}'), []],
    ['a null list', returned('{"batchItemFailures":null}'), []],
    ['nothing', returned(undefined), []],
    ['null', returned('null'), []],
    ['one id', returned('{"batchItemFailures":[{"itemIdentifier":"m2"}]}'), ['m2']],
    ['an id of no record', returned('{"batchItemFailures":[{"itemIdentifier":"m9"}]}'), all],
    ['an empty id', returned('{"batchItemFailures":[{"itemIdentifier":""}]}'), all],
    ['a null id', returned('{"batchItemFailures":[{"itemIdentifier":null}]}'), all],
    ['a misnamed key', returned('{"batchItemFailures":[{"itemId":"m1"}]}'), all],
    ['no JSON', returned('oops'), all],
    ['an error', { kind: 'failed', error: new Error('x') } as const, all],
    ['a timeout', { kind: 'timed_out' } as const, all],
  ])('%s is read as Lambda reads it', (_name, outcome, failed) => {
    expect([...failedOf(outcome, batch, true)].sort()).toEqual(failed);
  });

  it('counts for nothing when the mapping was not told to report: what failed is deleted', async () => {
    const clock = new VirtualClock();
    for (const reportBatchItemFailures of [true, false]) {
      const queue = new MemoryQueue({ clock, random: new SeededRandom(1), duplicateRate: 0 });
      queue.send('work');
      const invoke = async (sqsEvent: { Records: { messageId: string }[] }) =>
        returned(JSON.stringify({ batchItemFailures: sqsEvent.Records.map(it => ({ itemIdentifier: it.messageId })) }));
      const mapping = new MemoryMapping({ clock, random: new SeededRandom(1), queue, invoke, reportBatchItemFailures });
      mapping.enable();
      await clock.advanceBy(SECOND_MS);
      mapping.disable();
      expect(queue.dump()).toHaveLength(reportBatchItemFailures ? 1 : 0);
    }
  });
});
