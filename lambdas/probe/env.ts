import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `probe` function, set by its construct. */
export const probeEnv = {
  EVENTS_TABLE: text,
  PROBE_URL: text,
};
