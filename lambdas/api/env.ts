import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `api` function, set by its construct. */
export const apiEnv = texts('EVENTS_TABLE', 'PAYLOADS_TABLE', 'WORK_QUEUE_URL', 'SWEEP_FUNCTION');
