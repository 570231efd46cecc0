/** Waits for effects, and looks at them seldom: whoever looks must not keep the stores busy. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sent } from './load.ts';
import type { Effect, RunningSystem } from './system.ts';

/** What was accepted must be processed this long after the load at the latest. */
const QUIET_LIMIT_MS = 1_200_000;
/** Of the time, at most, that is spent on looking. */
const LOOK_SHARE = 0.05;

/** The effects once all of these have theirs, or when nothing happened for long enough. */
export async function untilProcessed(
  system: RunningSystem,
  events: readonly Sent[],
): Promise<ReadonlyMap<string, Effect>> {
  const deadline = Date.now() + QUIET_LIMIT_MS;
  for (let last = -1, since = Date.now(); ; ) {
    const began = Date.now();
    const effects = await system.effects();
    const looked = Date.now() - began;
    const found = events.filter(it => effects.has(it.id)).length;
    if (found !== last) [last, since] = [found, Date.now()];
    // Ours looks again at what a killed process held after its lease, BullMQ after its lock: both within 75 s.
    if (found === events.length || Date.now() - since > 75_000 || Date.now() > deadline) {
      await sleep(2_000);
      return system.effects();
    }
    await sleep(Math.max(500, looked / LOOK_SHARE));
  }
}

/** Until the number of effects stands still: the next phase starts with an empty queue. */
export async function untilIdle(system: RunningSystem): Promise<void> {
  const deadline = Date.now() + QUIET_LIMIT_MS;
  for (let last = -1; Date.now() < deadline; ) {
    const began = Date.now();
    const { size } = await system.effects();
    if (size === last) return;
    last = size;
    await sleep(Math.max(2_500, (Date.now() - began) / LOOK_SHARE));
  }
}
