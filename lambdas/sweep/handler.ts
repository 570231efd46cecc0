/** Wiring of `sweep`, run every minute by EventBridge Scheduler. */
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsDeadQueue } from '#adapters/sqs/sqs-dead-queue.ts';
import { sqsQueueGauge } from '#adapters/sqs/sqs-queue-gauge.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { receivedSources } from '#core/config/received-sources.ts';
import { shardBook } from '#core/inbound/protocol/shard-book.ts';
import { shardsIn } from '#core/inbound/protocol/spread.ts';
import { SpreadStore } from '#core/inbound/protocol/spread-store.ts';
import { sweep } from '#core/inbound/sweep/sweep.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { sweepEnv } from './env.ts';

const env = readEnv(sweepEnv);
const dynamodb = createDynamoDbClient();
const sqs = createSqsClient();
const telemetry = new EmfTelemetry({ ...config, level: config.logLevel });

const control = dynamoDbControlStore(dynamodb, env.EVENTS_TABLE, systemIds);
const shardsOf = shardBook(control, systemClock.now, config.shards);
const ports = {
  store: new SpreadStore(new DynamoDbEventStore(dynamodb, env.EVENTS_TABLE), shardsIn(config.shards), shardsOf),
  payloads: new DynamoDbPayloadStore(dynamodb, env.PAYLOADS_TABLE),
  control,
  queue: sqsWorkQueue(sqs, env.WORK_QUEUE_URL),
  dead: sqsDeadQueue(sqs, env.DEAD_QUEUE_URL),
  gauge: sqsQueueGauge(sqs, { main: env.WORK_QUEUE_URL, dead: env.DEAD_QUEUE_URL }),
  clock: systemClock,
  ids: systemIds,
  timer: systemTimer,
  telemetry,
};
const rules = {
  ...config,
  sourceIds: receivedSources(config).map(it => it.id),
  reportSilence: config.sources.filter(it => it.reportSilence).map(it => it.id),
  sendsPerSecond: config.sweepSendsPerSecond,
  deadQueueRetentionSeconds: config.deadQueueRetentionSeconds,
};
/** Kept free at the end, so that a run never dies in the middle of a report. */
const RESERVE_MS = 5_000;

export const handler = oneInvocation(
  middy({ timeoutEarlyInMillis: 0 })
    .use(flushTelemetry(telemetry))
    .handler((_schedulerEvent: unknown, context: Context) =>
      sweep(context.getRemainingTimeInMillis() - RESERVE_MS, ports, rules),
    ),
);
