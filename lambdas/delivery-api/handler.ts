/** Wiring of `delivery-api`: everything a producer may do but publishing. */
import { randomBytes } from 'node:crypto';
import middy from '@middy/core';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { SqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
import { systemClock, systemIds } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { outbound, retentionMs } from '#lambdas/shared/outbound-config.ts';
import { sealerOf, senderTo, sign, targetRules } from '#lambdas/shared/outbound-sending.ts';
import { outboundStores } from '#lambdas/shared/outbound-stores.ts';
import { environment } from '#lambdas/shared/process-environment.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { deliveryApiEnv } from './env.ts';
import { handleDeliveryCall } from './handle-delivery-call.ts';

const env = readEnv(deliveryApiEnv, environment);
const telemetry = new EmfTelemetry({ environment: config.environment, level: config.logLevel });
const [{ sqs, store, jobs }, sealer] = await Promise.all([outboundStores(env), sealerOf(env.MASTER_SECRET)]);
const ports = {
  ...{ store, jobs, sealer, sign, telemetry },
  wake: new SqsWakeQueue(sqs, env.WAKE_FAST_QUEUE_URL),
  sender: senderTo([]),
  blobs: new S3Blobs(env.BODIES_BUCKET),
  codec: nodeCodec,
  crypto: nodeCrypto,
  clock: systemClock,
  ids: systemIds,
  randomBytes: (count: number): Uint8Array => new Uint8Array(randomBytes(count)),
};
const rulesOf = (ownHost: string) => ({
  ...{ environment: config.environment, retentionMs, headerPrefix: outbound.headerPrefix },
  timeoutMs: outbound.timeoutSeconds * 1_000,
  target: targetRules([ownHost]),
  replaysPerSecond: config.replaysPerSecond,
});

export const handler = middy(handleDeliveryCall(ports, rulesOf)).use(flushTelemetry(telemetry));
