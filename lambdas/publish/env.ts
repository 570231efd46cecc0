import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `publish` function, set by its construct. */
export const publishEnv = texts(
  'REGISTRY_TABLE',
  'OUTBOX_TABLE',
  'BODIES_BUCKET',
  'JOBS_QUEUE_URL',
  'WAKE_FAST_QUEUE_URL',
);
