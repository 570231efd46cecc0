import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `process` function, set by its construct. */
export const processEnv = texts('EVENTS_TABLE', 'PAYLOADS_TABLE', 'BODIES_BUCKET', 'WORK_QUEUE_URL', 'DEAD_QUEUE_URL');

/** Of a `process` function with a route to customers, beside the others (lib/constructs/route-grants.ts). */
export const outboundRouteEnv = texts('REGISTRY_TABLE', 'OUTBOX_TABLE', 'JOBS_QUEUE_URL');
