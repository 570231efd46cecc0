import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `fan-out` function, set by its construct. */
export const fanOutEnv = texts(
  'REGISTRY_TABLE',
  'OUTBOX_TABLE',
  'BODIES_BUCKET',
  'JOBS_QUEUE_URL',
  'JOBS_DEAD_QUEUE_URL',
  'WAKE_FAST_QUEUE_URL',
);
