import { EVENTS, type MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';

/**
 * Everything of an event that a request could have left behind: records, payloads, messages. Control items of the sweeper
 * do not count, nor the last refused requests, which are kept apart for a person to look at.
 */
export function tracesIn(world: MemoryWorld): readonly unknown[] {
  const events = world.database.dump(EVENTS).filter(it => it['status'] !== undefined);
  const payloads = world.database.dump(PAYLOADS).filter(it => !String(it['pk']).startsWith('_refused#'));
  return [...events, ...payloads, ...world.main.dump(), ...world.dead.dump()];
}

/** Lets the mapping and the sweeper work until nothing is owed, then stops them. */
export async function workOff(world: MemoryWorld): Promise<boolean> {
  world.start();
  const settled = await world.settle();
  world.stop();
  return settled;
}

/** Bodies stored for an event of the source `default`. */
export function bodiesOf(world: MemoryWorld, id: string): number {
  return world.database.dump(PAYLOADS).filter(it => it['pk'] === `default#${id}` && String(it['sk']).startsWith('B#'))
    .length;
}
