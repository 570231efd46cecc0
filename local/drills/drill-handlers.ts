/** The handlers of the environment `drill`: those of the project, and one that does what a drill asks for. */
import { defineHandlers, type HandlerRegistry } from '#core/handler/handler-contract.ts';
import { handlers as own } from '#handlers/index.ts';
import { drill } from './drill-handler.ts';

const drills = defineHandlers([
  { source: 'default', type: 'drill.*', handle: drill({ table: 'DRILLS_TABLE', key: 'id' }) },
]);

export const handlers: HandlerRegistry = {
  find: (source, eventType) => drills.find(source, eventType) ?? own.find(source, eventType),
};
