/** What handlers hand over beside their outcome: declared outcomes, log lines, texts no store takes, waits through a pause. */
import { describe, expect, it } from 'vitest';
import { defer, done, type Outcome, reject } from '#core/handler/handler-contract.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { EFFECTS, MemoryWorld } from '#test/kit/memory-world.ts';
import { complaintsAbout } from './oracle.ts';
import { handlerThat } from './support/handlers.ts';
import { workOff } from './support/traces.ts';

describe('an outcome declared for refused writes', () => {
  const check = {
    kind: 'check',
    table: EFFECTS,
    key: { id: 'x' },
    condition: { attribute: 'id', op: 'exists' },
  } as const;
  it.each([
    ['a text', 'rejected'],
    ['a function', () => reject('no')],
    ['a deferral to never', defer(Number.NaN, 'x')],
    ['a retry in the past', { kind: 'retry', afterSeconds: -1, reason: 'x' }],
  ])('that is none (%s) is a permanent error that says so, after one attempt', async (_name, onRefused) => {
    const handlers = handlerThat((_call, _event, context) => {
      context.transact([check], { onRefused: onRefused as unknown as Outcome });
      return Promise.resolve(done());
    });
    const world = new MemoryWorld({ handlers });
    await world.post({ id: 'evt_1' });
    expect(await workOff(world)).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause: 'bad_outcome', attempts: 1 });
    expect(world.item('evt_1')?.lastError).toContain('onRefused');
  });
});

it('a log line that is no text fails no attempt', async () => {
  const handlers = handlerThat((_call, _event, context) => {
    for (const message of [new Error('x'), undefined, 7, Symbol('s')]) context.log.info(message as unknown as string);
    return undefined;
  });
  const world = new MemoryWorld({ handlers });
  await world.post({ id: 'evt_1' });
  expect(await workOff(world)).toBe(true);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
});

it('half a character in a text becomes a mark: no service takes it as it is', async () => {
  const handlers = handlerThat(() => Promise.resolve(done({ actionTaken: 'a\ud800b' })));
  const world = new MemoryWorld({ handlers });
  await world.post({ id: 'evt_1' });
  expect(await workOff(world)).toBe(true);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', actionTaken: 'a\ufffdb' });
});

it.each([
  ['comes back in the queue', MINUTE_MS],
  // The processor never gets it while the pause lasts: the sweeper sets it aside.
  ['is parked by its own wait', HOUR_MS / 2],
])('a pause longer than events may wait for each other kills none that waits for another and %s', async (_name, ms) => {
  const handlers = handlerThat(({ nth, world }) =>
    nth < 3 ? Promise.resolve(defer(world.clock.now() + ms, 'the other one is not there')) : undefined,
  );
  const world = new MemoryWorld({ handlers, timings: { deferLimitMs: HOUR_MS } });
  await world.post({ id: 'evt_1' });
  world.start();
  await world.clock.advanceBy(10_000);
  await world.clock.complete(world.pause('default', true));
  await world.clock.advanceBy(2 * HOUR_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'deferred', parked: true });
  await world.clock.complete(world.pause('default', false));
  expect(await workOff(world)).toBe(true);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed' });
  expect(complaintsAbout(world)).toEqual([]);
});
