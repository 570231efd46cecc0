import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `fan-out` function, set by its construct. */
export const fanOutEnv = {
  REGISTRY_TABLE: text,
  OUTBOX_TABLE: text,
  BODIES_BUCKET: text,
  JOBS_QUEUE_URL: text,
  JOBS_DEAD_QUEUE_URL: text,
  WAKE_FAST_QUEUE_URL: text,
};
