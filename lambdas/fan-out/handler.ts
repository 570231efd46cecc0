/** Wiring of `fan-out`: rows and wake-ups; no secrets, and no way to endpoints. */
import { sqsDeadQueue } from '#adapters/sqs/sqs-dead-queue.ts';
import { systemIds } from '#adapters/system.ts';
import type { OperationalJob } from '#core/outbound/ports.ts';
import type { JobId } from '#core/outbound/protocol/ids.ts';
import { runReplayJob } from '#core/outbound/replay/replay-job.ts';
import { finishedJob, publishOperational } from '#core/outbound/tend/operational-events.ts';
import { outbound, retentionMs } from '#lambdas/shared/outbound-config.ts';
import { publishingPorts } from '#lambdas/shared/outbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { fanOutEnv } from './env.ts';
import { handleJobs } from './handle-jobs.ts';

const env = readEnv(fanOutEnv);
const telemetry = openTelemetry();
const { sqs, ports: publishing } = await publishingPorts(env);
const rules = { retentionMs, pageUrl: outbound.portal?.pageUrl };
const shared = { ...publishing, telemetry };
const ports = {
  ...shared,
  dead: sqsDeadQueue(sqs, env.JOBS_DEAD_QUEUE_URL),
  publishOperational: (op: OperationalJob['op']) => publishOperational(shared, rules, op),
  runReplay: (job: JobId) =>
    runReplayJob({ ...shared, ids: systemIds }, rules, job, done =>
      publishOperational(shared, rules, finishedJob(done)),
    ),
};

export const handler = serve(handleJobs(ports, rules), { telemetry, keepsTime: true });
