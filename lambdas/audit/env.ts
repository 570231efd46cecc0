import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `audit` function, set by its construct. */
export const auditEnv = texts('EVENTS_TABLE', 'PAYLOADS_TABLE', 'BODIES_BUCKET');
