/** The handlers of an environment that `holdfast prove` made: for every event one, which does what the event says. */
import { defineHandlers } from '#core/handler/handler-contract.ts';
import { drill } from '#local/drills/drill-handler.ts';

export const handlers = defineHandlers([
  { source: '*', type: '*', handle: drill({ table: 'DRILLS_TABLE', key: 'id' }) },
]);
