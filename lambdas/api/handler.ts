/** Wiring of `api`: the public health check, and the status API behind IAM. */
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemClock, systemIds } from '#adapters/system.ts';
import { beginFunction } from '#adapters/targets/begin-function.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { spreadStores } from '#lambdas/shared/inbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { apiEnv } from './env.ts';
import { handleApiRequest } from './handle-api-request.ts';

const env = readEnv(apiEnv);
const telemetry = openTelemetry();
const ports = {
  ...spreadStores(env),
  queue: sqsWorkQueue(createSqsClient(), env.WORK_QUEUE_URL),
  beginSweep: () => beginFunction(env.SWEEP_FUNCTION),
  clock: systemClock,
  ids: systemIds,
  telemetry,
};

export const handler = serve(handleApiRequest(ports, config), { telemetry });
