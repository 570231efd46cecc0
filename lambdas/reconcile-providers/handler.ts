/**
 * Wiring of `reconcile-providers`, run by a schedule per source: `{ "source": "stripe" }`, and `"dryRun": true` for a
 * look without a change. Answers with a report for each list of the source.
 */
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { deliveryApiOf } from '#adapters/provider-apis/delivery-api-of.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { secretCredential } from '#adapters/secrets/secret-credential.ts';
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { type ReconcileReport, reconcileDeliveries } from '#core/inbound/reconcile/reconcile-deliveries.ts';
import { apiSecretName } from '#core/names.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { reconcileProvidersEnv } from './env.ts';

const env = readEnv(reconcileProvidersEnv);
const dynamodb = createDynamoDbClient();
const telemetry = new EmfTelemetry({ ...config, level: config.logLevel });
const ports = {
  store: new DynamoDbEventStore(dynamodb, env.EVENTS_TABLE),
  payloads: new DynamoDbPayloadStore(dynamodb, env.PAYLOADS_TABLE),
  control: dynamoDbControlStore(dynamodb, env.EVENTS_TABLE, systemIds),
  blobs: new S3Blobs(env.BODIES_BUCKET),
  queue: sqsWorkQueue(createSqsClient(), env.WORK_QUEUE_URL),
  crypto: nodeCrypto,
  codec: nodeCodec,
  clock: systemClock,
  ids: systemIds,
  timer: systemTimer,
  telemetry,
};
/** Kept free at the end, for the page that is being healed. */
const RESERVE_MS = 30_000;

interface SchedulerEvent {
  readonly source?: unknown;
  readonly dryRun?: unknown;
}

export const handler = oneInvocation(
  middy({ timeoutEarlyInMillis: 0 })
    .use(flushTelemetry(telemetry))
    .handler(async (schedulerEvent: unknown, context: Context): Promise<ReconcileReport[]> => {
      const { source: name, dryRun } = (schedulerEvent ?? {}) as SchedulerEvent;
      const until = systemClock.now() + context.getRemainingTimeInMillis() - RESERVE_MS;
      const source = config.sources.find(it => it.id === name);
      if (!source?.reconcile)
        throw new RangeError(`"${String(name).slice(0, 60)}" is not a source with \`reconcile\` in gateway.config.ts`);
      const { reconcile } = source;
      const credential = secretCredential(apiSecretName(config, source.id));
      const rules = { ...config, ...reconcile, dryRun: dryRun === true };
      const reports: ReconcileReport[] = [];
      for (const list of reconcile.lists) {
        const api = deliveryApiOf(source.spec.id, list, { baseUrl: reconcile.apiUrl, credential });
        reports.push(await reconcileDeliveries({ source, name: list, api }, until, ports, rules));
      }
      return reports;
    }),
);
