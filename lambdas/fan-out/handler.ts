/** Wiring of `fan-out`: rows and wake-ups; no secrets, and no way to endpoints. */
import middy from '@middy/core';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { sqsDeadQueue } from '#adapters/sqs/sqs-dead-queue.ts';
import { sqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
import { systemClock, systemIds } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { countMatches } from '#core/outbound/fan-out/match-endpoint.ts';
import { rowNotes } from '#core/outbound/fan-out/note-rows.ts';
import type { OperationalJob } from '#core/outbound/ports.ts';
import type { JobId } from '#core/outbound/protocol/ids.ts';
import { runReplayJob } from '#core/outbound/replay/replay-job.ts';
import { finishedJob, publishOperational } from '#core/outbound/tend/operational-events.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { outbound, retentionMs } from '#lambdas/shared/outbound-config.ts';
import { outboundStores } from '#lambdas/shared/outbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { fanOutEnv } from './env.ts';
import { handleJobs } from './handle-jobs.ts';

const env = readEnv(fanOutEnv);
const telemetry = new EmfTelemetry({ ...config, level: config.logLevel });
const { sqs, store, jobs } = await outboundStores(env);
const rules = { retentionMs, pageUrl: outbound.portal?.pageUrl };
const endpoints = endpointsOf(store);
const shared = {
  ...{ store, jobs, telemetry },
  blobs: new S3Blobs(env.BODIES_BUCKET),
  codec: nodeCodec,
  crypto: nodeCrypto,
  clock: systemClock,
  endpoints,
  countMatches: countMatches(endpoints),
  noteRows: rowNotes(store, systemClock),
};
const wake = sqsWakeQueue(sqs, env.WAKE_FAST_QUEUE_URL);
const ports = {
  ...shared,
  wake,
  dead: sqsDeadQueue(sqs, env.JOBS_DEAD_QUEUE_URL),
  publishOperational: (op: OperationalJob['op']) => publishOperational(shared, rules, op),
  runReplay: (job: JobId) =>
    runReplayJob({ ...shared, wake, ids: systemIds }, rules, job, done =>
      publishOperational(shared, rules, finishedJob(done)),
    ),
};

export const handler = oneInvocation(
  middy(handleJobs(ports, rules), { timeoutEarlyInMillis: 0 }).use(flushTelemetry(telemetry)),
);
