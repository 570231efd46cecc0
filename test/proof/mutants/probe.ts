/** Runs inside a worker, bundled with one mutant: the first suite that complains is printed. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Fault, faultsOf } from '#test/kit/memory/faults.ts';
import { interestingCalls, type Journey, runJourney } from '../journeys/support/crash-run.ts';
import { JOURNEYS } from '../journeys/support/journeys.ts';
import type { Mutant } from './mutants.ts';
import { SCENARIOS } from './scenarios.ts';

export interface Catch {
  readonly suite: string;
  readonly complaint: string;
  /** By the scenario or journey that the mutant names, without asking the others. */
  readonly asNamed?: true;
}

/** What an exception of the mutated code means: it was caught too. */
function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

async function firstScenario(names = Object.keys(SCENARIOS)): Promise<Catch | undefined> {
  for (const name of names) {
    const scenario = SCENARIOS[name];
    if (scenario === undefined) throw new Error(`There is no scenario ${name} in test/proof/mutants/scenarios.ts`);
    const complaints = await scenario().catch(error => [textOf(error)]);
    if (complaints[0] !== undefined) return { suite: `scenario ${name}`, complaint: complaints[0] };
  }
  return undefined;
}

async function firstJourney(journeys = JOURNEYS): Promise<Catch | undefined> {
  for (const journey of journeys) {
    const [complaint] = await complaintsOf(journey);
    if (complaint !== undefined) return { suite: `journey "${journey.name}"`, complaint };
  }
  return undefined;
}

async function firstCrashPoint(journeys = JOURNEYS): Promise<Catch | undefined> {
  for (const journey of journeys) {
    const { stage } = await runJourney(journey);
    for (const at of interestingCalls(stage.calls)) {
      for (const fault of faultsOf(at.name)) {
        const [complaint] = await complaintsOf(journey, new Map([[at.n, fault]]));
        const suite = `crash points: ${journey.name}, ${fault} at ${at.role} ${at.name}`;
        if (complaint !== undefined) return { suite, complaint };
      }
    }
  }
  return undefined;
}

/** The suite that showed this bug soonest, before all others are asked. */
async function firstOfHint({ scenario, journey }: Pick<Mutant, 'scenario' | 'journey'>): Promise<Catch | undefined> {
  if (scenario !== undefined) return firstScenario([scenario]);
  if (journey === undefined) return undefined;
  const hinted = JOURNEYS.filter(it => it.name === journey);
  if (hinted.length === 0)
    throw new Error(`There is no journey "${journey}" in test/proof/journeys/support/journeys.ts`);
  return (await firstJourney(hinted)) ?? firstCrashPoint(hinted);
}

async function complaintsOf(journey: Journey, faults?: ReadonlyMap<number, Fault>): Promise<readonly string[]> {
  try {
    return (await runJourney(journey, faults, faults ? 1 : 0)).complaints;
  } catch (error) {
    return [textOf(error)];
  }
}

// For the product as it is, the crash points have a suite of their own.
const mutant = workerData as Pick<Mutant, 'scenario' | 'journey'> | undefined;
const named = mutant && (await firstOfHint(mutant));
const caught =
  (named && { ...named, asNamed: true as const }) ??
  (await firstScenario()) ??
  (await firstJourney()) ??
  (mutant && (await firstCrashPoint()));
parentPort?.postMessage(caught ?? null);
