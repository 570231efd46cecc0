import { texts } from '#lambdas/shared/read-env.ts';

function lane(value: string): 'fast' | 'slow' {
  if (value === 'fast' || value === 'slow') return value;
  throw new Error('must be fast or slow');
}

/** Environment of both `drain` functions, set by their construct. */
export const drainEnv = {
  LANE: lane,
  ...texts('REGISTRY_TABLE', 'OUTBOX_TABLE', 'BODIES_BUCKET', 'JOBS_QUEUE_URL', 'WAKE_QUEUE_URL'),
  ...texts('WAKE_SLOW_QUEUE_URL', 'WAKES_DEAD_QUEUE_URL', 'MASTER_SECRET', 'OWN_HOSTS'),
};
