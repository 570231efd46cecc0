import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `contacts` function, set by its construct. */
export const contactsEnv = {
  REGISTRY_TABLE: text,
  OUTBOX_TABLE: text,
  MASTER_SECRET: text,
  /** Where the portal is, unless the configuration says another address. */
  API_URL: text,
};
