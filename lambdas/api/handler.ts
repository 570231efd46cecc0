/** Wiring of `api`: the public health check, and the status API behind IAM. */
import middy from '@middy/core';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemClock, systemIds } from '#adapters/system.ts';
import { beginFunction } from '#adapters/targets/begin-function.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { shardBook } from '#core/inbound/protocol/shard-book.ts';
import { shardsIn } from '#core/inbound/protocol/spread.ts';
import { SpreadStore } from '#core/inbound/protocol/spread-store.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { apiEnv } from './env.ts';
import { handleApiRequest } from './handle-api-request.ts';

const env = readEnv(apiEnv);
const dynamodb = createDynamoDbClient();
const telemetry = new EmfTelemetry({ ...config, level: config.logLevel });
const control = dynamoDbControlStore(dynamodb, env.EVENTS_TABLE, systemIds);
const shardsOf = shardBook(control, systemClock.now, config.shards);
const ports = {
  store: new SpreadStore(new DynamoDbEventStore(dynamodb, env.EVENTS_TABLE), shardsIn(config.shards), shardsOf),
  payloads: new DynamoDbPayloadStore(dynamodb, env.PAYLOADS_TABLE),
  control,
  queue: sqsWorkQueue(createSqsClient(), env.WORK_QUEUE_URL),
  beginSweep: () => beginFunction(env.SWEEP_FUNCTION),
  clock: systemClock,
  ids: systemIds,
  telemetry,
};

export const handler = oneInvocation(middy(handleApiRequest(ports, config)).use(flushTelemetry(telemetry)));
