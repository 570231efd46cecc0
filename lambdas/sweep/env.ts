import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `sweep` function, set by its construct. */
export const sweepEnv = texts('EVENTS_TABLE', 'PAYLOADS_TABLE', 'WORK_QUEUE_URL', 'DEAD_QUEUE_URL');
