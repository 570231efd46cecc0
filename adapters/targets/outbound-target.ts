/** `Publisher` on AWS: the tables and the queue of the delivery stack. Imported with the first event for customers. */
import type { Environment } from '#adapters/aws/client-settings.ts';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbItemStore } from '#adapters/dynamodb/dynamodb-item-store.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsJobQueue } from '#adapters/sqs/sqs-outbound-job-queue.ts';
import { systemClock } from '#adapters/system.ts';
import { publisherForRoutes } from '#core/outbound/api/publish-for-route.ts';
import type { Publisher } from '#core/publisher.ts';

/** Where a route to customers leads; lib/constructs/route-grants.ts sets the variables of the same names. */
export interface OutboundPlace {
  readonly registryTable: string;
  readonly outboxTable: string;
  readonly jobsQueueUrl: string;
  readonly bodiesBucket: string;
  readonly retentionMs: number;
}

export function createOutboundPublisher(place: OutboundPlace, env?: Environment): Publisher {
  const names = { registry: place.registryTable, outbox: place.outboxTable };
  const ports = {
    store: new DynamoDbItemStore(createDynamoDbClient(env), names),
    jobs: sqsJobQueue(createSqsClient(env), place.jobsQueueUrl),
    blobs: new S3Blobs(place.bodiesBucket),
    codec: nodeCodec,
    crypto: nodeCrypto,
    clock: systemClock,
    // The route's own step counts and logs what became of it.
    telemetry: { count: () => undefined },
  };
  return publisherForRoutes(ports, { retentionMs: place.retentionMs });
}
