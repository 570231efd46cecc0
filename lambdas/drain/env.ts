import { text } from '#lambdas/shared/read-env.ts';

function lane(value: string): 'fast' | 'slow' {
  if (value === 'fast' || value === 'slow') return value;
  throw new Error('must be fast or slow');
}

/** Environment of both `drain` functions, set by their construct. */
export const drainEnv = {
  LANE: lane,
  REGISTRY_TABLE: text,
  OUTBOX_TABLE: text,
  BODIES_BUCKET: text,
  JOBS_QUEUE_URL: text,
  WAKE_QUEUE_URL: text,
  WAKE_SLOW_QUEUE_URL: text,
  WAKES_DEAD_QUEUE_URL: text,
  MASTER_SECRET: text,
  OWN_HOSTS: text,
};
