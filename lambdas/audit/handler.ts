/** Wiring of `audit`, which checks all records each night. A run that is out of time leaves the rest to the next one. */
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { systemClock, systemRandom } from '#adapters/system.ts';
import { auditOn } from '#core/inbound/watch/audit-records.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { inboundStores } from '#lambdas/shared/inbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { auditEnv } from './env.ts';

const env = readEnv(auditEnv);
const telemetry = openTelemetry();
const ports = {
  ...inboundStores(env),
  blobs: new S3Blobs(env.BODIES_BUCKET),
  clock: systemClock,
  random: systemRandom,
  telemetry,
};
const RESERVE_MS = 10_000;

export const handler = serve(
  async (_schedulerEvent: unknown, context) => {
    const until = systemClock.now() + context.getRemainingTimeInMillis() - RESERVE_MS;
    await auditOn(until, ports, config);
  },
  { telemetry, keepsTime: true },
);
