/** Ours. */
import { startHoldfast } from '#test/kit/processes/start-holdfast.ts';
import type { System } from '#test/kit/processes/system.ts';

export const holdfast: System = {
  name: 'Holdfast',
  synced:
    'the record and the payload in DynamoDB Local (SQLite, journal on, synced at each commit as SQLite does by default), then the message in ElasticMQ (H2 file, written by its own thread)',
  durable: true,
  start: folder => startHoldfast(folder),
};
