/** What every function of the delivery stack calls: the two tables and the queue of jobs. */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { createDynamoDbClient, primeDynamoDb } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbItemStore } from '#adapters/dynamodb/dynamodb-item-store.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { createSqsClient, primeSqs } from '#adapters/sqs/create-sqs-client.ts';
import { sqsJobQueue } from '#adapters/sqs/sqs-outbound-job-queue.ts';
import { sqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
import { systemClock } from '#adapters/system.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { countMatches } from '#core/outbound/fan-out/match-endpoint.ts';
import { rowNotes } from '#core/outbound/fan-out/note-rows.ts';
import { PRIME_REGISTRY } from './prime-registry.ts';

type Names<Name extends string> = Readonly<Record<Name, string>>;
type Stores = Names<'REGISTRY_TABLE' | 'OUTBOX_TABLE' | 'JOBS_QUEUE_URL'>;

/** Clients once per environment, primed at init, where the CPU is not throttled. */
export async function outboundStores(env: Stores) {
  const dynamodb = createDynamoDbClient();
  const sqs = createSqsClient();
  await Promise.all([primeDynamoDb(dynamodb, env.REGISTRY_TABLE, PRIME_REGISTRY), primeSqs(sqs, env.JOBS_QUEUE_URL)]);
  const names = { registry: env.REGISTRY_TABLE, outbox: env.OUTBOX_TABLE };
  const store = new DynamoDbItemStore(dynamodb, names);
  return { sqs, store, jobs: sqsJobQueue(sqs, env.JOBS_QUEUE_URL) };
}

/** What a function that publishes has, or that puts rows for endpoints and wakes them. */
export async function publishingPorts(env: Stores & Names<'BODIES_BUCKET' | 'WAKE_FAST_QUEUE_URL'>) {
  const { sqs, store, jobs } = await outboundStores(env);
  const endpoints = endpointsOf(store);
  const ports = {
    ...{ store, jobs, endpoints },
    wake: sqsWakeQueue(sqs, env.WAKE_FAST_QUEUE_URL),
    blobs: new S3Blobs(env.BODIES_BUCKET),
    codec: nodeCodec,
    crypto: nodeCrypto,
    clock: systemClock,
    countMatches: countMatches(endpoints),
    noteRows: rowNotes(store, systemClock),
  };
  return { sqs, ports };
}
