import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `process` function, set by its construct. */
export const processEnv = {
  EVENTS_TABLE: text,
  PAYLOADS_TABLE: text,
  BODIES_BUCKET: text,
  WORK_QUEUE_URL: text,
  DEAD_QUEUE_URL: text,
};

/** Of a `process` function with a route to customers, beside the others (lib/constructs/route-grants.ts). */
export const outboundRouteEnv = {
  REGISTRY_TABLE: text,
  OUTBOX_TABLE: text,
  JOBS_QUEUE_URL: text,
};
