import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `reconcile` function, set by its construct. */
export const reconcileEnv = {
  EVENTS_TABLE: text,
  PAYLOADS_TABLE: text,
  BODIES_BUCKET: text,
};
