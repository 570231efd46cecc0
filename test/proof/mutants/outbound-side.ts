/** What may notice a bug of the sending side: without the nets of tend, which would hide most bugs for an hour. */
import { JOURNEYS } from '../journeys/outbound/support/journeys.ts';
import { runJourney } from '../journeys/outbound/support/stage.ts';
import type { Side } from './probe.ts';

export const SIDE: Side = {
  scenarios: {},
  journeys: JOURNEYS.map(journey => ({
    name: journey.name,
    complaintsOf: async faults => {
      const { complaints, duplicates } = await runJourney(journey, faults, journey.tends === true);
      return duplicates > 0 && faults === undefined ? [...complaints, 'a duplicate without a fault'] : complaints;
    },
    callsOf: async () => {
      const { stage } = await runJourney(journey, undefined, journey.tends === true);
      return stage.calls.filter(({ role }) => role !== 'tend');
    },
  })),
};
