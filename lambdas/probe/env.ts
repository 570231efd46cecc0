import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `probe` function, set by its construct. */
export const probeEnv = texts('EVENTS_TABLE', 'PROBE_URL');
