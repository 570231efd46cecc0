/** What a person does with dead letters in the console, and what becomes of messages whose death is over. */
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { busy, PermanentError } from '#core/handler/handler-contract.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';
import { complaintsAbout } from './oracle.ts';
import { handlerThat } from './support/handlers.ts';
import { workOff } from './support/traces.ts';

const replayOf = (replayId: string) => ({ replayId, by: 'test', why: 'test' });

class Patient extends MemoryWorld {
  fixed = false;

  constructor(options: WorldOptions = {}) {
    const handlers = handlerThat(({ world }) =>
      (world as Patient).fixed ? undefined : Promise.reject(new PermanentError('broken')),
    );
    super({ handlers, queue: { duplicateRate: 0 }, deadQueue: { duplicateRate: 0 }, ...options });
  }

  /** One event, dead and in the DLQ, with nothing running. */
  static async dead(options: WorldOptions = {}): Promise<Patient> {
    const world = new Patient(options);
    await world.post({ id: 'evt_1' });
    expect(await workOff(world)).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', dlqSent: true });
    expect(world.dead.dump()).toHaveLength(1);
    return world;
  }
}

/** Each message that is received has a copy, which is shown an hour later. */
class LateCopies extends SeededRandom {
  override chance(): boolean {
    return true;
  }

  override pick<T>(items: readonly T[]): T {
    return items.at(-1)!;
  }
}

// Holds I4, I7.
describe('a redrive in the console', () => {
  it('to the source fails, because our dead letters were sent and not moved; with the main queue as destination it works', async () => {
    const world = await Patient.dead();
    world.fixed = true;
    expect(world.dead.startMessageMoveTask()).toEqual({ moved: 0, failure: 'CouldNotDetermineMessageSource' });
    expect(world.dead.startMessageMoveTask(world.main)).toEqual({ moved: 1 });
    expect(await workOff(world)).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', gen: 1, run: 1, attempts: 1 });
    expect(world.item('evt_1')).not.toHaveProperty('deadId');
    expect(world.outside.map(it => it.key)).toEqual(['default:evt_1:1']);
    expect(world.dead.dump()).toEqual([]);
    expect(complaintsAbout(world)).toEqual([]);
  });

  it('of an event that is still broken kills it again, with a new death and one message', async () => {
    const world = await Patient.dead();
    const before = world.item('evt_1')?.deadId;
    world.dead.startMessageMoveTask(world.main);
    expect(await workOff(world)).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', attempts: 1, dlqSent: true });
    expect(world.item('evt_1')?.deadId).not.toBe(before);
    expect(world.dead.dump()).toHaveLength(1);
  });

  it('while the source is paused parks the event until the pause is over', async () => {
    const world = await Patient.dead();
    world.fixed = true;
    await world.clock.complete(world.pause('default', true));
    await world.clock.advanceBy(10_000);
    world.dead.startMessageMoveTask(world.main);
    world.start();
    await world.clock.advanceBy(5 * MINUTE_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'deferred', parked: true, attempts: 0 });
    expect(world.item('evt_1')).not.toHaveProperty('deadId');
    expect(world.main.dump()).toEqual([]);
    await world.clock.complete(world.pause('default', false));
    expect(await workOff(world)).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it('of a message whose death is over changes nothing and leaves the queue', async () => {
    const world = await Patient.dead();
    const [old] = world.dead.dump();
    await world.clock.complete(world.replay('evt_1', replayOf('replay-1')));
    expect(await workOff(world)).toBe(true);
    const dead = world.item('evt_1');
    expect(dead).toMatchObject({ status: 'dead_letter', gen: 2 });
    // The same generation with another death: what a redrive that failed leaves behind.
    for (const body of [old?.body ?? '', (old?.body ?? '').replace('"gen":1', '"gen":2')]) {
      world.main.send(body);
      world.mapping.enable();
      await world.clock.advanceBy(5_000);
      world.mapping.disable();
      expect(world.main.dump()).toEqual([]);
      expect(world.item('evt_1')).toEqual(dead);
    }
  });
});

// Holds I4.
it('a redrive that froze does not undo a later death', async () => {
  let stalling = false;
  const stall = (call: { readonly name: string }) => {
    if (!stalling || call.name !== 'store.update') return undefined;
    updates += 1;
    return updates === 2 ? 'stall' : undefined;
  };
  let updates = 0;
  const world = await Patient.dead({
    planOf: role => (role === 'process' ? stall : () => undefined),
    process: { stallMs: MINUTE_MS },
  });
  const [message] = world.dead.dump();
  stalling = true;
  for (let copy = 0; copy < 2; copy++) {
    world.main.send(message?.body ?? '');
    world.mapping.enable();
    await world.clock.advanceBy(5_000);
  }
  const dead = world.item('evt_1');
  expect(dead).toMatchObject({ status: 'dead_letter', dlqSent: true });
  expect(dead?.deadId).not.toBe(JSON.parse(message?.body ?? '{}').deadId);
  await world.clock.advanceBy(10 * MINUTE_MS);
  expect(world.item('evt_1')).toEqual(dead);
  expect(world.main.dump()).toEqual([]);
});

// Holds I7.
describe('the sweeper and the DLQ', () => {
  it('takes out the message of an event that was replayed, and no other', async () => {
    const world = await Patient.dead();
    await world.post({ id: 'evt_2' });
    world.main.send('not ours');
    expect(await workOff(world)).toBe(true);
    expect(world.dead.dump()).toHaveLength(3);
    world.fixed = true;
    await world.clock.complete(world.replay('evt_1', replayOf('replay-1')));
    world.start();
    await world.clock.advanceBy(30 * MINUTE_MS);
    expect(world.item('evt_1')?.status).toBe('completed');
    const left = world.dead.dump().map(it => it.body);
    expect(left).toHaveLength(2);
    expect(left.some(it => it.includes('evt_1'))).toBe(false);
    expect(left).toContain('not ours');
  });

  it('takes out a copy of it, too, that SQS shows an hour later', async () => {
    const world = await Patient.dead({ deadQueue: { random: new LateCopies(1) } });
    world.fixed = true;
    await world.clock.complete(world.replay('evt_1', replayOf('replay-1')));
    world.start();
    await world.clock.advanceBy(10 * MINUTE_MS);
    expect(world.dead.dump()).toMatchObject([{ state: 'lurking' }]);
    expect(world.dead.numbers()).toMatchObject({ visible: 0, hidden: 0 });
    await world.clock.advanceBy(HOUR_MS);
    expect(world.dead.dump()).toEqual([]);
  });

  it('leaves it there no longer than an open death has no message: the numbers are equal until then', async () => {
    const world = await Patient.dead();
    world.dead.receive(1).forEach(({ receipt }) => void world.dead.delete(receipt));
    await world.post({ id: 'evt_2' });
    expect(await workOff(world)).toBe(true);
    world.fixed = true;
    await world.clock.complete(world.replay('evt_2', replayOf('replay-2')));
    world.start();
    await world.clock.advanceBy(10 * MINUTE_MS);
    expect(world.item('evt_2')?.status).toBe('completed');
    expect(world.dead.dump()).toHaveLength(1);
    expect(world.telemetry.measures.findLast(it => it.metric === 'OpenDeadLetters')?.value).toBe(1);
    await world.clock.complete(world.close('evt_1'));
    await world.clock.advanceBy(2 * MINUTE_MS);
    expect(world.dead.dump()).toEqual([]);
  });

  it('keeps the message of an event whose record is gone', async () => {
    const world = await Patient.dead();
    world.database.empty('events');
    world.start();
    await world.clock.advanceBy(30 * MINUTE_MS);
    expect(world.dead.dump()).toHaveLength(1);
  });
});

// Holds I4.
it('an old copy of an earlier generation does not run the new one', async () => {
  const world = new MemoryWorld({ queue: { duplicateRate: 0 } });
  await world.post({ id: 'evt_1' });
  const [old] = world.main.dump();
  expect(await workOff(world)).toBe(true);
  await world.clock.complete(world.replay('evt_1', replayOf('replay-1')));
  world.main.purge();
  await world.clock.advanceBy(61_000);
  const pending = world.item('evt_1');
  world.main.send(old?.body ?? '');
  world.mapping.enable();
  await world.clock.advanceBy(5_000);
  expect(world.item('evt_1')).toEqual(pending);
  expect(world.main.dump()).toEqual([]);
});

// Holds I7, I9.
it('a copy that comes before the next attempt is due waits for it', async () => {
  const attemptsAt: number[] = [];
  const handlers = handlerThat(({ nth, world }) => {
    attemptsAt.push(world.clock.now());
    return nth === 1 ? Promise.resolve(busy(60, 'asked')) : undefined;
  });
  const world = new MemoryWorld({ handlers, queue: { duplicateRate: 0 } });
  await world.post({ id: 'evt_1' });
  const [copy] = world.main.dump();
  world.mapping.enable();
  await world.clock.advanceBy(5_000);
  world.main.send(copy?.body ?? '');
  await world.clock.advanceBy(50_000);
  expect(attemptsAt).toHaveLength(1);
  await world.clock.advanceBy(MINUTE_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
  expect((attemptsAt[1] ?? 0) - (attemptsAt[0] ?? 0)).toBeGreaterThanOrEqual(58_000);
  expect(world.main.dump()).toEqual([]);
});
