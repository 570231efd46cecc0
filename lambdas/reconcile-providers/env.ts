import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `reconcile-providers` function, set by its construct. */
export const reconcileProvidersEnv = {
  EVENTS_TABLE: text,
  PAYLOADS_TABLE: text,
  BODIES_BUCKET: text,
  WORK_QUEUE_URL: text,
};
