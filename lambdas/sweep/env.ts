import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `sweep` function, set by its construct. */
export const sweepEnv = {
  EVENTS_TABLE: text,
  PAYLOADS_TABLE: text,
  WORK_QUEUE_URL: text,
  DEAD_QUEUE_URL: text,
};
