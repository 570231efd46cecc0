import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `reconcile-providers` function, set by its construct. */
export const reconcileProvidersEnv = texts('EVENTS_TABLE', 'PAYLOADS_TABLE', 'BODIES_BUCKET', 'WORK_QUEUE_URL');
