/** What may notice a bug of the receiving side. */
import { interestingCalls, runJourney } from '../journeys/support/crash-run.ts';
import { JOURNEYS } from '../journeys/support/journeys.ts';
import type { Side } from './probe.ts';
import { SCENARIOS } from './scenarios.ts';

export const SIDE: Side = {
  scenarios: SCENARIOS,
  journeys: JOURNEYS.map(journey => ({
    name: journey.name,
    complaintsOf: async faults => (await runJourney(journey, faults, faults ? 1 : 0)).complaints,
    callsOf: async () => interestingCalls((await runJourney(journey)).stage.calls),
  })),
};
