/** Wiring of `tend`, run every minute by EventBridge Scheduler. */
import { sqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
import { systemIds } from '#adapters/system.ts';
import { tend } from '#core/outbound/tend/tend.ts';
import { outbound, retentionMs } from '#lambdas/shared/outbound-config.ts';
import { publishingPorts } from '#lambdas/shared/outbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { tendEnv } from './env.ts';

const env = readEnv(tendEnv);
const telemetry = openTelemetry();
const { sqs, ports: shared } = await publishingPorts(env);
const ports = {
  ...shared,
  telemetry,
  slow: sqsWakeQueue(sqs, env.WAKE_SLOW_QUEUE_URL),
  ids: systemIds,
};
const { auditMinutes, portal } = outbound;

export const handler = serve(() => tend(ports, { retentionMs, auditMinutes, pageUrl: portal?.pageUrl }), {
  ...{ telemetry, keepsTime: true },
});
