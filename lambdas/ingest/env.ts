import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `ingest` function, set by its construct. */
export const ingestEnv = texts('EVENTS_TABLE', 'PAYLOADS_TABLE', 'BODIES_BUCKET', 'WORK_QUEUE_URL');
