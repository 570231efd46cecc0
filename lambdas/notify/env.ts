import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `notify` function, set by its construct. */
export const notifyEnv = {
  EVENTS_TABLE: text,
  PAGE_TOPIC: text,
  /** JSON: the services to tell of what a topic says, by its ARN. */
  ALARM_SERVICES: text,
};
