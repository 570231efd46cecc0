import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `tend` function, set by its construct. */
export const tendEnv = {
  REGISTRY_TABLE: text,
  OUTBOX_TABLE: text,
  BODIES_BUCKET: text,
  JOBS_QUEUE_URL: text,
  WAKE_FAST_QUEUE_URL: text,
  WAKE_SLOW_QUEUE_URL: text,
};
