/** Wiring of `contacts`, run every minute by EventBridge Scheduler: opens the secrets of contacts, and calls their addresses. */
import { randomBytes } from 'node:crypto';
import { masterKeys } from '#adapters/crypto/master-keys.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { createDynamoDbClient, primeDynamoDb } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbItemStore } from '#adapters/dynamodb/dynamodb-item-store.ts';
import { secretCredential } from '#adapters/secrets/secret-credential.ts';
import { lazyMailer } from '#adapters/ses/lazy-mailer.ts';
import { systemClock } from '#adapters/system.ts';
import { tellContacts } from '#core/outbound/contacts/tell-contacts.ts';
import { outbound } from '#lambdas/shared/outbound-config.ts';
import { senderTo, sign } from '#lambdas/shared/outbound-sending.ts';
import { PRIME_REGISTRY } from '#lambdas/shared/prime-registry.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { contactsEnv } from './env.ts';

/** Of one run; the next one begins a minute after this one began. */
const RUN_MS = 40_000;
const { portal } = outbound;
if (portal === undefined) throw new Error('outbound has no portal in gateway.config.ts: deploy it again');
const env = readEnv(contactsEnv);
const telemetry = openTelemetry();
const dynamodb = createDynamoDbClient();
const [master] = await Promise.all([
  masterKeys(secretCredential(env.MASTER_SECRET)),
  primeDynamoDb(dynamodb, env.REGISTRY_TABLE, PRIME_REGISTRY),
]);
const mailer = await lazyMailer(outbound.email);
const ports = {
  store: new DynamoDbItemStore(dynamodb, { registry: env.REGISTRY_TABLE, outbox: env.OUTBOX_TABLE }),
  sealer: master.sealer,
  get portalKeys() {
    return master.portalKeys();
  },
  sender: senderTo([new URL(env.API_URL).hostname]),
  ...{ sign, telemetry, mailer },
  crypto: nodeCrypto,
  clock: systemClock,
  randomBytes: (count: number): Uint8Array => new Uint8Array(randomBytes(count)),
};
const rules = {
  name: portal.name,
  portalUrl: `${portal.url ?? env.API_URL}/portal`,
  pageUrl: portal.pageUrl,
};

export const handler = serve(() => tellContacts(ports, rules, systemClock.now() + RUN_MS), {
  ...{ telemetry, keepsTime: true },
  inner: { before: master.refresh },
});
