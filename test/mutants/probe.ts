/** Runs inside a worker, bundled with one mutant: the first suite that complains is printed. */
import { parentPort, workerData } from 'node:worker_threads';
import { FAULTS, type Fault, interestingCalls, type Journey, runJourney } from '../journeys/support/crash-run.ts';
import { JOURNEYS } from '../journeys/support/journeys.ts';
import { SCENARIOS } from './scenarios.ts';

export interface Catch {
  readonly suite: string;
  readonly complaint: string;
}

/** What an exception of the mutated code means: it was caught too. */
function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

async function firstScenario(): Promise<Catch | undefined> {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const complaints = await scenario().catch(error => [textOf(error)]);
    if (complaints[0] !== undefined) return { suite: `scenario ${name}`, complaint: complaints[0] };
  }
  return undefined;
}

async function firstJourney(): Promise<Catch | undefined> {
  for (const journey of JOURNEYS) {
    const [complaint] = await complaintsOf(journey);
    if (complaint !== undefined) return { suite: `journey "${journey.name}"`, complaint };
  }
  return undefined;
}

async function firstCrashPoint(startWith: string | undefined): Promise<Catch | undefined> {
  for (const journey of JOURNEYS.toSorted((a, b) => Number(b.name === startWith) - Number(a.name === startWith))) {
    const { stage } = await runJourney(journey);
    for (const at of interestingCalls(stage.calls)) {
      for (const fault of FAULTS) {
        const [complaint] = await complaintsOf(journey, new Map([[at.n, fault]]));
        const suite = `crash points: ${journey.name}, ${fault} at ${at.role} ${at.name}`;
        if (complaint !== undefined) return { suite, complaint };
      }
    }
  }
  return undefined;
}

async function complaintsOf(journey: Journey, faults?: ReadonlyMap<number, Fault>): Promise<readonly string[]> {
  try {
    return (await runJourney(journey, faults, faults ? 1 : 0)).complaints;
  } catch (error) {
    return [textOf(error)];
  }
}

// For the product as it is, the crash points have a suite of their own.
const { mutated, journey } = workerData as { mutated: boolean; journey?: string };
const crashed = (): Promise<Catch | undefined> => (mutated ? firstCrashPoint(journey) : Promise.resolve(undefined));
const caught = (await firstScenario()) ?? (await firstJourney()) ?? (await crashed());
parentPort?.postMessage(caught ?? null);
