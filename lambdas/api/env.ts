import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `api` function, set by its construct. */
export const apiEnv = {
  EVENTS_TABLE: text,
  PAYLOADS_TABLE: text,
  WORK_QUEUE_URL: text,
  SWEEP_FUNCTION: text,
};
