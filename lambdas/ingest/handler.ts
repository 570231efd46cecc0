/** Wiring of `ingest`: clients once per environment, primed at init, where the CPU is not throttled. */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { createDynamoDbClient, primeDynamoDb } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { openEventWriter } from '#adapters/dynamodb/dynamodb-event-writer.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { lazyEdgeDoor } from '#adapters/http/lazy-edge-door.ts';
import { lazyKeyFetcher } from '#adapters/http/lazy-key-fetcher.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
import { createSqsClient, primeSqs } from '#adapters/sqs/create-sqs-client.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemAddresses, systemClock, systemIds, systemRandom, systemTimer } from '#adapters/system.ts';
import { receivedSources } from '#core/config/received-sources.ts';
import { isWhole } from '#core/config/source-head.ts';
import { EDGE_SECRET, PRIME_EVENTS, PROBE_SOURCE } from '#core/glossary.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import { needsSecret } from '#core/provider/source-needs.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { ingestEnv } from './env.ts';
import { handleRequest } from './handle-request.ts';
import { lazyConcerns } from './lazy-concerns.ts';
import { replyToErrors } from './reply-to-errors.ts';

const env = readEnv(ingestEnv);
const dynamodb = createDynamoDbClient();
const sqs = createSqsClient();
const telemetry = openTelemetry(PROBE_SOURCE);
const sources = receivedSources(config);
const values = new SecretsManagerValues(createSecretsClient(), config);
const secrets = new CachedSecrets(values, systemClock, (source, error) =>
  telemetry.log('error', { stage: 'secret', source, error: error instanceof Error ? error.message : String(error) }),
);

const signing = sources.filter(it => isWhole(it) && needsSecret(it.spec)).map(it => it.id);
await Promise.all([
  primeDynamoDb(dynamodb, env.EVENTS_TABLE, PRIME_EVENTS),
  primeSqs(sqs, env.WORK_QUEUE_URL),
  secrets.prime(config.edge ? [...signing, EDGE_SECRET] : signing),
]);

const keys = lazyKeyFetcher(async () => (await import('./on-demand.ts')).openKeys(dynamodb, env.EVENTS_TABLE));
const concerns = lazyConcerns(async () =>
  (await import('./on-demand.ts')).openConcerns(dynamodb, env.EVENTS_TABLE, telemetry),
);
const ports = {
  store: openEventWriter(dynamodb, env.EVENTS_TABLE, config.shards),
  payloads: new DynamoDbPayloadStore(dynamodb, env.PAYLOADS_TABLE),
  refused: new RefusedSlots(systemRandom),
  concerns,
  blobs: new S3Blobs(env.BODIES_BUCKET),
  queue: sqsWorkQueue(sqs, env.WORK_QUEUE_URL),
  secrets,
  keys,
  http: { get: async (url: string) => (await import('./on-demand.ts')).confirm(url) },
  crypto: nodeCrypto,
  codec: nodeCodec,
  addresses: systemAddresses,
  clock: systemClock,
  ids: systemIds,
  timer: systemTimer,
  telemetry,
};

export const handler = serve(handleRequest(sources, ports, config, config.edge && lazyEdgeDoor(config.edge, ports)), {
  telemetry,
  inner: replyToErrors(telemetry),
});
