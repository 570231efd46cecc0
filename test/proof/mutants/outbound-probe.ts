/** Runs inside a worker, bundled with one mutant of the sending side: the first complaint is printed. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Fault, faultsOf } from '#test/kit/memory/faults.ts';
import { JOURNEYS } from '../journeys/outbound/support/journeys.ts';
import { type Journey, runJourney } from '../journeys/outbound/support/stage.ts';
import type { Mutant } from './mutants.ts';
import type { Catch } from './probe.ts';

/** Without the nets of tend, which would hide most bugs for an hour. */
async function complaintsOf(journey: Journey, faults?: ReadonlyMap<number, Fault>): Promise<readonly string[]> {
  try {
    const { complaints, duplicates } = await runJourney(journey, faults, journey.tends === true);
    return duplicates > 0 && faults === undefined ? [...complaints, 'a duplicate without a fault'] : complaints;
  } catch (error) {
    return [error instanceof Error ? `${error.name}: ${error.message}` : String(error)];
  }
}

async function firstJourney(journeys: readonly Journey[]): Promise<Catch | undefined> {
  for (const journey of journeys) {
    const [complaint] = await complaintsOf(journey);
    if (complaint !== undefined) return { suite: `journey "${journey.name}"`, complaint };
  }
  return undefined;
}

async function firstCrashPoint(journeys: readonly Journey[]): Promise<Catch | undefined> {
  for (const journey of journeys) {
    const { stage } = await runJourney(journey, undefined, journey.tends === true);
    for (const { n, role, name } of stage.calls.filter(call => call.role !== 'tend')) {
      for (const fault of faultsOf(name)) {
        const [complaint] = await complaintsOf(journey, new Map([[n, fault]]));
        const suite = `crash points: ${journey.name}, ${fault} at ${role} ${name}`;
        if (complaint !== undefined) return { suite, complaint };
      }
    }
  }
  return undefined;
}

const mutant = workerData as Mutant | undefined;
const hinted = JOURNEYS.filter(({ name }) => name === mutant?.journey);
/** Of the product as it is: every journey, and the crash points of those that mutants name. */
const NAMED = ['publish, delivered'];
const caught = mutant
  ? ((await firstJourney(hinted)) ?? (await firstCrashPoint(hinted)))
  : ((await firstJourney(JOURNEYS)) ?? (await firstCrashPoint(JOURNEYS.filter(({ name }) => NAMED.includes(name)))));
parentPort?.postMessage(caught ?? null);
