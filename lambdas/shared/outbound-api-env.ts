import { text } from './read-env.ts';

/** Of the functions that answer producers and customers. */
export const outboundApiEnv = {
  REGISTRY_TABLE: text,
  OUTBOX_TABLE: text,
  BODIES_BUCKET: text,
  JOBS_QUEUE_URL: text,
  WAKE_FAST_QUEUE_URL: text,
  MASTER_SECRET: text,
};
