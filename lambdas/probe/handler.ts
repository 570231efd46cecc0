/** Wiring of `probe`, run every minute by EventBridge Scheduler. */
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { postOnce } from '#adapters/http/post-once.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
import { systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import { probe } from '#core/inbound/watch/probe.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { probeEnv } from './env.ts';

const env = readEnv(probeEnv);
const telemetry = openTelemetry();
const values = new SecretsManagerValues(createSecretsClient(), config);
const ports = {
  sender: postOnce,
  secrets: new CachedSecrets(values, systemClock),
  store: new DynamoDbEventStore(createDynamoDbClient(), env.EVENTS_TABLE),
  crypto: nodeCrypto,
  clock: systemClock,
  ids: systemIds,
  timer: systemTimer,
  telemetry,
};
/** Kept free at the end, so that a run never dies before it says why. */
const RESERVE_MS = 5_000;

export const handler = serve(
  async (_schedulerEvent: unknown, context) => {
    if (config.probe === undefined) return;
    const limitMs = context.getRemainingTimeInMillis() - RESERVE_MS;
    await probe(ports, { source: config.probe, url: env.PROBE_URL, limitMs });
  },
  { telemetry, keepsTime: true },
);
