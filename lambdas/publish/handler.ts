/** Wiring of `publish`: no secrets, and no way to endpoints. */
import middy from '@middy/core';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { lazySchemaJudge } from '#adapters/json-schema/lazy-schema-judge.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { sqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
import { systemClock } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { fanOutNow } from '#core/outbound/fan-out/fan-out-now.ts';
import { countMatches } from '#core/outbound/fan-out/match-endpoint.ts';
import { rowNotes } from '#core/outbound/fan-out/note-rows.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { outbound, retentionMs } from '#lambdas/shared/outbound-config.ts';
import { outboundStores } from '#lambdas/shared/outbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { publishEnv } from './env.ts';
import { handlePublish } from './handle-publish.ts';

const env = readEnv(publishEnv);
const telemetry = new EmfTelemetry({ ...config, level: config.logLevel });
const { sqs, store, jobs } = await outboundStores(env);
const rules = { environment: config.environment, eventTypes: outbound.eventTypes, retentionMs };
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
const direct = { ...shared, wake: sqsWakeQueue(sqs, env.WAKE_FAST_QUEUE_URL) };
const ports: Parameters<typeof handlePublish>[0] = {
  ...shared,
  judge: lazySchemaJudge(),
  fanOutNow: published => fanOutNow(direct, rules, published),
};

export const handler = oneInvocation(middy(handlePublish(ports, rules)).use(flushTelemetry(telemetry)));
