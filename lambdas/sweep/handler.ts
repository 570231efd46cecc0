/** Wiring of `sweep`, run every minute by EventBridge Scheduler. */
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsDeadQueue } from '#adapters/sqs/sqs-dead-queue.ts';
import { sqsQueueGauge } from '#adapters/sqs/sqs-queue-gauge.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import { receivedSources } from '#core/config/received-sources.ts';
import { sweep } from '#core/inbound/sweep/sweep.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { spreadStores } from '#lambdas/shared/inbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { sweepEnv } from './env.ts';

const env = readEnv(sweepEnv);
const sqs = createSqsClient();
const telemetry = openTelemetry();
const ports = {
  ...spreadStores(env),
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

export const handler = serve(
  (_schedulerEvent: unknown, context) => sweep(context.getRemainingTimeInMillis() - RESERVE_MS, ports, rules),
  { telemetry, keepsTime: true },
);
