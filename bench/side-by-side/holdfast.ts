/** Ours. */
import { startHoldfast } from '#test/kit/processes/start-holdfast.ts';
import type { System } from '#test/kit/processes/system.ts';

export const holdfast: System = {
  name: 'Holdfast',
  synced: 'record and payload in DynamoDB Local (SQLite, synced at each commit), then the message in ElasticMQ (H2)',
  durable: true,
  start: folder => startHoldfast(folder),
};
