import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `tend` function, set by its construct. */
export const tendEnv = texts(
  'REGISTRY_TABLE',
  'OUTBOX_TABLE',
  'BODIES_BUCKET',
  'JOBS_QUEUE_URL',
  'WAKE_FAST_QUEUE_URL',
  'WAKE_SLOW_QUEUE_URL',
);
