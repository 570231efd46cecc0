/** Wiring of `audit`, which checks all records each night. A run that is out of time leaves the rest to the next one. */
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { systemClock, systemIds, systemRandom } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { auditOn } from '#core/inbound/watch/audit-records.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { auditEnv } from './env.ts';

const env = readEnv(auditEnv);
const dynamodb = createDynamoDbClient();
const telemetry = new EmfTelemetry({ ...config, level: config.logLevel });
const control = dynamoDbControlStore(dynamodb, env.EVENTS_TABLE, systemIds);
const ports = {
  store: new DynamoDbEventStore(dynamodb, env.EVENTS_TABLE),
  control,
  payloads: new DynamoDbPayloadStore(dynamodb, env.PAYLOADS_TABLE),
  blobs: new S3Blobs(env.BODIES_BUCKET),
  clock: systemClock,
  random: systemRandom,
  telemetry,
};
const RESERVE_MS = 10_000;

export const handler = oneInvocation(
  middy({ timeoutEarlyInMillis: 0 })
    .use(flushTelemetry(telemetry))
    .handler(async (_schedulerEvent: unknown, context: Context) => {
      const until = systemClock.now() + context.getRemainingTimeInMillis() - RESERVE_MS;
      await auditOn(until, ports, config);
    }),
);
