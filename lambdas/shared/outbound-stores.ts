/** What every function of the delivery stack calls: the two tables and the queue of jobs. */
import { createDynamoDbClient, primeDynamoDb } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbItemStore } from '#adapters/dynamodb/dynamodb-item-store.ts';
import { createSqsClient, primeSqs } from '#adapters/sqs/create-sqs-client.ts';
import { sqsJobQueue } from '#adapters/sqs/sqs-outbound-job-queue.ts';
import { PRIME_REGISTRY } from './prime-registry.ts';

/** Clients once per environment, primed at init, where the CPU is not throttled. */
export async function outboundStores(env: Record<'REGISTRY_TABLE' | 'OUTBOX_TABLE' | 'JOBS_QUEUE_URL', string>) {
  const dynamodb = createDynamoDbClient();
  const sqs = createSqsClient();
  await Promise.all([primeDynamoDb(dynamodb, env.REGISTRY_TABLE, PRIME_REGISTRY), primeSqs(sqs, env.JOBS_QUEUE_URL)]);
  const names = { registry: env.REGISTRY_TABLE, outbox: env.OUTBOX_TABLE };
  const store = new DynamoDbItemStore(dynamodb, names);
  return { sqs, store, jobs: sqsJobQueue(sqs, env.JOBS_QUEUE_URL) };
}
