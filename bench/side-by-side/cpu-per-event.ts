/** CPU of a running system's programs per event: under a steady load, less what they spend at rest. */
import { setTimeout as sleep } from 'node:timers/promises';
import { untilIdle, untilProcessed } from '#test/kit/processes/effects.ts';
import { type LoadOptions, sendAtOnce, sendSteadily } from '#test/kit/processes/load.ts';
import { cpuSeconds } from '#test/kit/processes/programs.ts';
import type { RunningSystem } from '#test/kit/processes/system.ts';

/** CPU seconds so far: each program by its name, and all stores together. */
interface Clock {
  readonly at: number;
  readonly programs: Readonly<Record<string, number>>;
  readonly stores: number;
}

/** Of one round, in CPU microseconds per accepted event. */
export interface Round {
  readonly programs: Readonly<Record<string, number>>;
  readonly stores: number;
  /** Answers that were not 200. */
  readonly refused: number;
  readonly unprocessed: number;
}

/** CPU at rest, as a share of a core. */
export interface Rest {
  readonly programs: Readonly<Record<string, number>>;
  readonly stores: number;
}

function readClock(system: RunningSystem): Clock {
  const { programs, stores } = system.pids();
  return {
    at: performance.now(),
    programs: Object.fromEntries(system.roles.map((role, n) => [role, cpuSeconds([programs[n] ?? 0])])),
    stores: cpuSeconds(stores),
  };
}

const mapValues = (
  values: Readonly<Record<string, number>>,
  to: (value: number, name: string) => number,
): Record<string, number> => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value, name)]));
export const sum = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((all, each) => all + each, 0);

const WARM_SECONDS = 10;
/** A window that is this much cheaper than the best before says that compilers are still at work. */
const STILL_FALLING = 0.95;

/**
 * Runs events through the system until their CPU, programs and stores together, stops falling: compilers, pools and
 * files get their first work unmeasured. Answers the CPU microseconds per event of each window of ten seconds.
 */
export async function warmUp(system: RunningSystem, most: number): Promise<readonly number[]> {
  const windows: number[] = [];
  while (windows.length < most) {
    const before = readClock(system);
    const { accepted } = await sendAtOnce(system.url, 4, WARM_SECONDS);
    await untilIdle(system);
    const after = readClock(system);
    const spent = sum(after.programs) + after.stores - sum(before.programs) - before.stores;
    const best = Math.min(...windows);
    windows.push((spent * 1e6) / Math.max(1, accepted));
    if (windows.length >= 3 && (windows.at(-1) ?? 0) > best * STILL_FALLING) break;
  }
  return windows;
}

/** What these systems spend while nobody sends them anything. */
export async function measureRest(systems: readonly RunningSystem[], seconds: number): Promise<readonly Rest[]> {
  const before = systems.map(readClock);
  await sleep(seconds * 1_000);
  return systems.map((system, n) => {
    const [from, to] = [before[n] as Clock, readClock(system)];
    const passed = (to.at - from.at) / 1_000;
    return {
      programs: mapValues(to.programs, (value, role) => (value - (from.programs[role] ?? 0)) / passed),
      stores: (to.stores - from.stores) / passed,
    };
  });
}

/** One steady load until all of it is processed. */
export async function measureRound(system: RunningSystem, load: LoadOptions, rest: Rest): Promise<Round> {
  const from = readClock(system);
  const events = await sendSteadily(system.url, load);
  const accepted = events.filter(it => it.acceptedAt !== undefined);
  const effects = await untilProcessed(system, accepted);
  const to = readClock(system);
  const passed = (to.at - from.at) / 1_000;
  const perEvent = (spent: number, atRest: number): number =>
    ((spent - atRest * passed) * 1e6) / Math.max(1, accepted.length);
  return {
    programs: mapValues(to.programs, (value, role) =>
      perEvent(value - (from.programs[role] ?? 0), rest.programs[role] ?? 0),
    ),
    stores: perEvent(to.stores - from.stores, rest.stores),
    refused: events.reduce((all, it) => all + it.failures, 0),
    unprocessed: accepted.filter(it => !effects.has(it.id)).length,
  };
}
