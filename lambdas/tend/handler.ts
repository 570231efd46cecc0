/** Wiring of `tend`, run every minute by EventBridge Scheduler. */
import middy from '@middy/core';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { sqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
import { systemClock, systemIds } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { countMatches } from '#core/outbound/fan-out/match-endpoint.ts';
import { rowNotes } from '#core/outbound/fan-out/note-rows.ts';
import { tend } from '#core/outbound/tend/tend.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { outbound, retentionMs } from '#lambdas/shared/outbound-config.ts';
import { outboundStores } from '#lambdas/shared/outbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { tendEnv } from './env.ts';

const env = readEnv(tendEnv);
const telemetry = new EmfTelemetry({ ...config, level: config.logLevel });
const { sqs, store, jobs } = await outboundStores(env);
const endpoints = endpointsOf(store);
const ports = {
  ...{ store, jobs, telemetry },
  endpoints,
  countMatches: countMatches(endpoints),
  noteRows: rowNotes(store, systemClock),
  wake: sqsWakeQueue(sqs, env.WAKE_FAST_QUEUE_URL),
  slow: sqsWakeQueue(sqs, env.WAKE_SLOW_QUEUE_URL),
  blobs: new S3Blobs(env.BODIES_BUCKET),
  codec: nodeCodec,
  crypto: nodeCrypto,
  clock: systemClock,
  ids: systemIds,
};
const { auditMinutes, portal } = outbound;

export const handler = oneInvocation(
  middy({ timeoutEarlyInMillis: 0 })
    .use(flushTelemetry(telemetry))
    .handler(() => tend(ports, { retentionMs, auditMinutes, pageUrl: portal?.pageUrl })),
);
