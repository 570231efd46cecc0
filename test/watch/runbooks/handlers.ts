/** Handlers that do what an event says: in the deployed copy of the app this is handlers/index.ts. */
import { defineHandlers, done } from 'holdfast';
import { drill } from '#local/drills/drill-handler.ts';

const OFF_MS = 120_000;

export const handlers = defineHandlers([
  { source: '*', type: 'drill.*', handle: drill({ table: 'PAYMENTS_TABLE', key: 'paymentId' }) },
  {
    source: 'default',
    // Heeds no signal: Lambda ends its process.
    type: 'loop.endless',
    handle: async (_event, { attempt }) => {
      while (attempt === 1) Math.random();
      return done({ actionTaken: 'ended' });
    },
  },
  {
    source: 'default',
    // The clock of this function is off from now on, until its process ends.
    type: 'clock.off',
    handle: async () => {
      const { now } = Date;
      Date.now = () => now() + OFF_MS;
      return done({ actionTaken: 'set' });
    },
  },
]);
