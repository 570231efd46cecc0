import { texts } from '#lambdas/shared/read-env.ts';

/** Environment of the `contacts` function. `API_URL`: where the portal is, unless the configuration says another address. */
export const contactsEnv = texts('REGISTRY_TABLE', 'OUTBOX_TABLE', 'MASTER_SECRET', 'API_URL');
