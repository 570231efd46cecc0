/**
 * What the handlers call is away for two hours:
 *  1. nothing dies, whether a handler throws, asks to be called again, or defers;
 *  2. at one event a second all are completed within ten minutes after it is back (the long run); so are those that asked to
 *     wait, at any rate;
 *  3. a wait that the handler asks for is free for as long as the schedule lasts, and counts after that: every event ends;
 *  4. the breaker is each processor's own: what one holds back spends no attempt in another that has seen too little.
 * The long run takes three minutes of a quiet core.
 */
import { expect, it } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { defer, type Outcome, retryAfter } from '#core/handler/handler-contract.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { breakerPark, park } from '#core/inbound/protocol/event-writes.ts';
import { DEFAULT_RETRY, spanMs } from '#core/retry/backoff.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

/** One event a second in the long run; one in two minutes else, for which no breaker opens. */
const PACE_MS = isLongRun() ? SECOND_MS : 2 * MINUTE_MS;

type How = 'throws' | 'retryAfter(60)' | 'defers five minutes';

function answer(how: How, now: number): Promise<Outcome> {
  if (how === 'throws') return Promise.reject(new Error('the API does not answer'));
  return Promise.resolve(how === 'retryAfter(60)' ? retryAfter(60, 'away') : defer(now + 5 * MINUTE_MS, 'away'));
}

it.each<How>(['throws', 'retryAfter(60)', 'defers five minutes'])(
  'an API is away for two hours and the handler %s: nothing dies, all is done ten minutes after it is back',
  async how => {
    let away = false;
    const world: MemoryWorld = new MemoryWorld({
      queue: { duplicateRate: 0 },
      idleMs: isLongRun() ? SECOND_MS : 10 * SECOND_MS,
      maximumConcurrency: 5,
      handlers: handlerThat(() => (away ? answer(how, world.clock.now()) : undefined)),
    });
    let sent = 0;
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += PACE_MS) {
        void world.deliver({ id: `evt-${sent++}` });
        await world.clock.advanceBy(PACE_MS);
      }
    };
    world.start();
    await pass(2 * MINUTE_MS);
    away = true;
    await pass(2 * HOUR_MS);
    const duringOutage = sent;
    away = false;
    await pass(10 * MINUTE_MS);
    const items = Array.from({ length: duringOutage }, (_, n) => world.item(`evt-${n}`));
    world.stop();
    expect(items.filter(item => item?.status === 'dead_letter')).toEqual([]);
    // An event that failed alone goes by the schedule's own waits, which are up to an hour by then.
    if (how === 'throws' && !isLongRun()) return;
    expect(items.filter(item => item?.status !== 'completed').length).toBe(0);
  },
  1_800_000,
);

it('twenty processors, each with a breaker of its own: what one held back spends no attempts in the others', async () => {
  let away = false;
  const world = new MemoryWorld({
    queue: { duplicateRate: 0 },
    idleMs: SECOND_MS,
    maximumConcurrency: 20,
    handlers: handlerThat(() => (away ? answer('throws', 0) : undefined)),
  });
  world.start();
  for (let second = 0; second < 9 * 60; second++) {
    away = second >= MINUTE_MS / SECOND_MS;
    void world.deliver({ id: `evt-${second}` });
    await world.clock.advanceBy(SECOND_MS);
  }
  world.stop();
  const waiting = world.items().filter(item => item.status !== 'completed');
  expect(waiting.length).toBeGreaterThan(300);
  // Over a hundred seeds: three at most. Without the rule nine to sixty-two, up to their seventh attempt, whose wait is longer
  // than the outage.
  expect(waiting.filter(item => item.attempts > 4).length).toBeLessThanOrEqual(5);
});

it('an event that fails by itself after it was held back ends, also where nothing else comes', async () => {
  const retry = { attempts: 3, baseSeconds: 300, capSeconds: 3_600 };
  const world = new MemoryWorld({
    queue: { duplicateRate: 0 },
    retry,
    idleMs: SECOND_MS,
    handlers: handlerThat(() => answer('throws', 0)),
  });
  const { pk } = await recorded(world);
  const at = world.clock.now();
  const held = breakerPark(at, at + 15 * SECOND_MS, '*:*');
  expect((await new MemoryEventStore(world.database, EVENTS).update(park(pk, 1, held))).kind).toBe('applied');
  world.start();
  await world.settle();
  world.stop();
  const item = world.item('a');
  expect(item).toMatchObject({ status: 'dead_letter', attempts: 3 });
  expect(Number(item?.deadAt) - at).toBeGreaterThan(1.5 * spanMs(retry));
  expect(Number(item?.deadAt) - at).toBeLessThan(2 * spanMs(retry) + 10 * MINUTE_MS);
});

async function recorded(world: MemoryWorld): Promise<EventItem> {
  await world.post({ id: 'a' });
  return world.item('a') as EventItem;
}

it('one event alone, with no breaker: the schedule outlasts two hours whatever chance says', () => {
  expect(spanMs(DEFAULT_RETRY) / 2).toBeGreaterThan(4 * HOUR_MS);
});

it.each([
  ['in the middle of a minute', 60],
  ['at once', 0],
])(
  'a handler that asks forever to be called again %s ends as a dead letter, after the schedule',
  async (_, seconds) => {
    const retry = { attempts: 3, baseSeconds: 300, capSeconds: 3_600 };
    let runs = 0;
    const world = new MemoryWorld({
      queue: { duplicateRate: 0 },
      retry,
      idleMs: SECOND_MS,
      handlers: handlerThat(() => {
        runs += 1;
        return Promise.resolve(retryAfter(seconds, 'away'));
      }),
    });
    await world.post({ id: 'a' });
    const begun = world.clock.now();
    world.start();
    await world.settle();
    world.stop();
    const item = world.item('a');
    expect(item).toMatchObject({ status: 'dead_letter', cause: 'retry_after', attempts: 3 });
    const lastedMs = Number(item?.deadAt) - begun;
    expect(lastedMs).toBeGreaterThan(spanMs(retry));
    expect(lastedMs).toBeLessThan(2 * spanMs(retry));
    expect(runs).toBeLessThan(2 * (spanMs(retry) / SECOND_MS));
  },
);
