/** What the races share: calm worlds, a write that is held back, and what to look at afterwards. */
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { PermanentError } from '#core/handler/handler-contract.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { EVENTS, MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';
import { handlerThat } from '#test/proof/journeys/support/handlers.ts';
import { writeOf } from '../write-leaves.ts';

export type Race = () => Promise<readonly string[]>;

export const DELIVERY = { id: 'a', createdAt: 1_767_571_200_000 };

export const unless = (fine: boolean, complaint: string): string[] => (fine ? [] : [complaint]);
export const ask = (replayId: string) => ({ replayId, by: 'test', why: 'test' });

export function calm(options: WorldOptions = {}): WorldOptions {
  const timings = { ...LOCAL_TIMINGS, ...options.timings };
  const queue = { duplicateRate: 0, visibilitySeconds: 20 };
  return { idleMs: 1_000, ...options, timings, queue, deadQueue: { duplicateRate: 0 } };
}
export const calmWorld = (options: WorldOptions = {}): MemoryWorld => new MemoryWorld(calm(options));

/** A handler at work, which then goes on as usual: it has answered nothing. */
export const busy = (world: MemoryWorld, ms: number): Promise<never> =>
  world.clock.sleep(ms).then(() => undefined as never);

/** Waits, while others drive the clock. */
export async function until(world: MemoryWorld, holds: () => boolean): Promise<void> {
  for (let n = 0; n < 600; n++) {
    if (holds()) return;
    await world.clock.sleep(SECOND_MS);
  }
  throw new Error('the race did not come about');
}

/** Holds back the first write that is meant until `meanwhile` is over, as a slow network would. */
export async function race(
  isMeant: (update: EventUpdate) => boolean,
  meanwhile: () => Promise<unknown>,
  play: () => Promise<unknown>,
): Promise<readonly string[]> {
  const { update, transact } = MemoryEventStore.prototype;
  let stage: 'before' | 'meanwhile' | 'written' = 'before';
  const held = async <T>(given: EventUpdate, write: () => Promise<T>): Promise<T> => {
    if (stage !== 'before' || !isMeant(given)) return write();
    stage = 'meanwhile';
    await meanwhile();
    const written = await write();
    stage = 'written';
    return written;
  };
  MemoryEventStore.prototype.update = function (given) {
    return held(given, () => update.call(this, given));
  };
  MemoryEventStore.prototype.transact = function (given, ...rest) {
    return held(given, () => transact.call(this, given, ...rest));
  };
  try {
    await play();
  } finally {
    Object.assign(MemoryEventStore.prototype, { update, transact });
  }
  return unless((stage as string) === 'written', `the race did not come about: ${stage}`);
}

export const first = (write: string) => (update: EventUpdate) => writeOf(update) === write;
export const forever = (world: MemoryWorld, ms = 5 * MINUTE_MS): Promise<void> => world.clock.advanceBy(ms);
const keysOf = (world: MemoryWorld): readonly string[] => world.outside.map(({ key }) => key);

/** Keys of runs that completed must differ: a provider would take the second for a repetition of the first. */
export const reused = (world: MemoryWorld, runs: number): string[] => {
  const keys = keysOf(world);
  return unless(keys.length === runs && new Set(keys).size === runs, `I6 ${runs} runs called outside as ${keys}`);
};

/** A table restored to an older point, or written by another build: the record is so, the messages stay. */
export function restore(world: MemoryWorld, item: Readonly<Record<string, unknown>>): void {
  world.database.write({ kind: 'put', table: EVENTS, item: { ...item } });
}

/** A world in which everything dies, and its first death is in the DLQ. */
export function mortalWorld(options: WorldOptions = {}): { world: MemoryWorld; runs: () => number } {
  let runs = 0;
  const handlers = handlerThat(() => {
    runs += 1;
    return Promise.reject(new PermanentError('broken'));
  });
  return { world: calmWorld({ handlers, ...options }), runs: () => runs };
}
export const diesAgain = async (world: MemoryWorld): Promise<void> => {
  const before = world.item('a')?.deadId;
  await world.replay('a', ask('again'));
  await until(world, () => world.item('a')?.status === 'dead_letter' && world.item('a')?.deadId !== before);
};

export const inDeadQueue = (world: MemoryWorld): boolean => {
  const deadId = world.item('a')?.deadId ?? 'none';
  return world.dead.dump().some(({ body }) => body.includes(deadId));
};
