/** Runs the product in memory with one condition of one write left out, until a suite complains. */

import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import type { Fault } from '#test/kit/memory/faults.ts';
import { walk } from '#test/proof/conformance/walk.ts';
import { interestingCalls, type Journey, runJourney } from '#test/proof/journeys/support/crash-run.ts';
import { JOURNEYS } from '#test/proof/journeys/support/journeys.ts';
import { RACES } from './races.ts';
import { SCENARIOS } from './scenarios.ts';
import { dropLeaf, writeOf } from './write-leaves.ts';

const WALK_STEPS = 80;

const WALKS = 300;
/** Those that make two owners meet, and a write meet itself. */
const FAULTS: readonly Fault[] = ['stall', 'lost_reply_retried', 'applied_late'];

/** What a race or a walk says when a condition is missing; undefined: nothing. */
export function noticeOf(
  condition: string,
  notice: { readonly race: keyof typeof RACES } | { readonly walk: number },
): Promise<string | undefined> {
  return withoutCondition(condition, () =>
    'race' in notice ? raceComplaint(notice.race) : walkComplaint(notice.walk),
  );
}

/** The suite that notices that a condition is missing; undefined: none does. */
export function killerOf(condition: string): Promise<string | undefined> {
  const [write = ''] = condition.split(': ');
  return withoutCondition(
    condition,
    async () => (await raceKiller()) ?? (await walkKiller()) ?? (await plainKiller()) ?? (await crashKiller(write)),
  );
}

function withoutCondition<T>(condition: string, work: () => Promise<T>): Promise<T> {
  const [write = '', leaf = ''] = condition.split(': ');
  return changingWrites(update => dropLeaf(update, write, leaf), work);
}

async function raceComplaint(name: keyof typeof RACES): Promise<string | undefined> {
  const [complaint] = await RACES[name]().catch((error: unknown) => [String(error)]);
  return complaint;
}

async function raceKiller(): Promise<string | undefined> {
  for (const name of Object.keys(RACES) as (keyof typeof RACES)[]) {
    if ((await raceComplaint(name)) !== undefined) return `race ${name}`;
  }
  return undefined;
}

function walkComplaint(seed: number): Promise<string | undefined> {
  return walk(seed, WALK_STEPS).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

async function plainKiller(): Promise<string | undefined> {
  for (const journey of JOURNEYS) {
    if ((await complaintOf(journey)) !== undefined) return `journey "${journey.name}"`;
  }
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const [complaint] = await scenario().catch((error: unknown) => [String(error)]);
    if (complaint !== undefined) return `scenario ${name}`;
  }
  return undefined;
}

async function walkKiller(): Promise<string | undefined> {
  for (let seed = 1; seed <= WALKS; seed++) {
    if ((await walkComplaint(seed)) !== undefined) return `walk ${seed}`;
  }
  return undefined;
}

async function crashKiller(write: string): Promise<string | undefined> {
  for (const journey of JOURNEYS) {
    const { stage } = await runJourney(journey);
    if (!(await writesIn(journey)).has(write)) continue;
    for (const at of interestingCalls(stage.calls)) {
      for (const fault of FAULTS) {
        const complaint = await complaintOf(journey, new Map([[at.n, fault]]));
        if (complaint !== undefined) return `crash points of "${journey.name}", ${fault} at ${at.role} ${at.name}`;
      }
    }
  }
  return undefined;
}

/** A journey without the write, in its base run, is left to the others. */
const writes = new Map<string, Promise<ReadonlySet<string>>>();
function writesIn(journey: Journey): Promise<ReadonlySet<string>> {
  const known = writes.get(journey.name) ?? findWrites(journey);
  writes.set(journey.name, known);
  return known;
}

async function findWrites(journey: Journey): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const note = (update: EventUpdate): EventUpdate => {
    found.add(writeOf(update));
    return update;
  };
  await changingWrites(note, () => runJourney(journey));
  return found;
}

async function complaintOf(journey: Journey, faults?: ReadonlyMap<number, Fault>): Promise<string | undefined> {
  try {
    return (await runJourney(journey, faults, faults ? 1 : 0)).complaints[0];
  } catch (error) {
    return String(error);
  }
}

/** Passes every conditional update through a change while `work` runs. */
async function changingWrites<T>(change: (update: EventUpdate) => EventUpdate, work: () => Promise<T>): Promise<T> {
  const { update, transact } = MemoryEventStore.prototype;
  MemoryEventStore.prototype.update = function (given) {
    return update.call(this, change(given));
  };
  MemoryEventStore.prototype.transact = function (given, ...rest) {
    return transact.call(this, change(given), ...rest);
  };
  try {
    return await work();
  } finally {
    Object.assign(MemoryEventStore.prototype, { update, transact });
  }
}
