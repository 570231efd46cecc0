/** Wiring of `process`. Middy's early timeout stays off: the deadline is kept per record, so that neighbours finish. */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { createDynamoDbClient, primeDynamoDb } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { dynamoDbSearchStore } from '#adapters/dynamodb/dynamodb-search-store.ts';
import { DynamoDbStepStore } from '#adapters/dynamodb/dynamodb-step-store.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { createSqsClient, primeSqs } from '#adapters/sqs/create-sqs-client.ts';
import { sqsDeadQueue } from '#adapters/sqs/sqs-dead-queue.ts';
import { sqsReceiptBox } from '#adapters/sqs/sqs-receipt-box.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { stackReader } from '#adapters/stacks/lazy-stack-reader.ts';
import { systemClock, systemIds, systemRandom, systemTimer } from '#adapters/system.ts';
import { OutsideTargets } from '#adapters/targets/outside-targets.ts';
import { receivedSources } from '#core/config/received-sources.ts';
import { PRIME_EVENTS, PROBE_SOURCE } from '#core/glossary.ts';
import { ShapeWatch } from '#core/inbound/drift/shape-watch.ts';
import { ConcernBoard } from '#core/inbound/protocol/concerns.ts';
import { Pauses } from '#core/inbound/protocol/pauses.ts';
import { spreadStore } from '#core/inbound/protocol/spread-store.ts';
import { withRoutes } from '#core/inbound/routing/with-routes.ts';
import { withProbe } from '#core/inbound/watch/probe-source.ts';
import { Breaker } from '#core/retry/breaker.ts';
import { handlers as ownHandlers } from '#handlers/index.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { customers } from './customers.ts';
import { processEnv } from './env.ts';
import { handleBatch } from './handle-batch.ts';

const env = readEnv(processEnv);
const [dynamodb, sqs] = [createDynamoDbClient(), createSqsClient()];
const telemetry = openTelemetry(PROBE_SOURCE);
await Promise.all([primeDynamoDb(dynamodb, env.EVENTS_TABLE, PRIME_EVENTS), primeSqs(sqs, env.WORK_QUEUE_URL)]);
const control = dynamoDbControlStore(dynamodb, env.EVENTS_TABLE, systemIds);
const blobs = new S3Blobs(env.BODIES_BUCKET);
const handlers = withRoutes(ownHandlers, config.sources, {
  targets: new OutsideTargets(sqs, { outbound: customers(env.BODIES_BUCKET) }),
  blobs,
  blobAddress: `s3://${env.BODIES_BUCKET}/`,
  breaker: new Breaker(),
  crypto: nodeCrypto,
  codec: nodeCodec,
  clock: systemClock,
});
const ports = {
  store: spreadStore(new DynamoDbEventStore(dynamodb, env.EVENTS_TABLE), config.shards),
  payloads: new DynamoDbStepStore(dynamodb, env.PAYLOADS_TABLE),
  search: dynamoDbSearchStore(dynamodb, env.PAYLOADS_TABLE),
  blobs,
  queue: sqsWorkQueue(sqs, env.WORK_QUEUE_URL),
  dead: sqsDeadQueue(sqs, env.DEAD_QUEUE_URL),
  receipts: sqsReceiptBox(sqs, env.WORK_QUEUE_URL),
  pauses: new Pauses({ control, clock: systemClock, telemetry }, config.timings.pauseCacheMs),
  breaker: new Breaker(),
  handlers: withProbe(handlers),
  shapes: new ShapeWatch({ control, clock: systemClock, telemetry }),
  concerns: new ConcernBoard({ control, clock: systemClock, timer: systemTimer, telemetry }),
  crypto: nodeCrypto,
  codec: nodeCodec,
  clock: systemClock,
  ids: systemIds,
  random: systemRandom,
  timer: systemTimer,
  telemetry,
  stacks: stackReader,
};
const recordsSpans = config.otlp !== undefined;
const rules = { ...config, recordsSpans, sources: new Map(receivedSources(config).map(it => [it.id, it])) };
export const handler = serve(handleBatch(ports, rules), { telemetry, keepsTime: true });
