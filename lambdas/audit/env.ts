import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `audit` function, set by its construct. */
export const auditEnv = {
  EVENTS_TABLE: text,
  PAYLOADS_TABLE: text,
  BODIES_BUCKET: text,
};
