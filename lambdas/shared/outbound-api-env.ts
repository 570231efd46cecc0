import { texts } from './read-env.ts';

/** Of the functions that answer producers and customers. */
export const outboundApiEnv = texts(
  'REGISTRY_TABLE',
  'OUTBOX_TABLE',
  'BODIES_BUCKET',
  'JOBS_QUEUE_URL',
  'WAKE_FAST_QUEUE_URL',
  'MASTER_SECRET',
);
