import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `publish` function, set by its construct. */
export const publishEnv = {
  REGISTRY_TABLE: text,
  OUTBOX_TABLE: text,
  BODIES_BUCKET: text,
  JOBS_QUEUE_URL: text,
  WAKE_FAST_QUEUE_URL: text,
};
