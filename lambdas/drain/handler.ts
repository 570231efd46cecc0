/** Wiring of `drain`: the only code beside `delivery-api` that opens secrets and calls customers' addresses. */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { masterKeys } from '#adapters/crypto/master-keys.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { secretCredential } from '#adapters/secrets/secret-credential.ts';
import { sqsDeadQueue } from '#adapters/sqs/sqs-dead-queue.ts';
import { sqsReceiptBox } from '#adapters/sqs/sqs-receipt-box.ts';
import { sqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
import { systemClock, systemIds, systemRandom, systemTimer } from '#adapters/system.ts';
import { configsOf, egressGuard } from '#core/outbound/drain/endpoint-config.ts';
import { OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { outbound, retentionMs } from '#lambdas/shared/outbound-config.ts';
import { senderTo, sign } from '#lambdas/shared/outbound-sending.ts';
import { outboundStores } from '#lambdas/shared/outbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { drainEnv } from './env.ts';
import { handleWakeUps } from './handle-wake-ups.ts';

const env = readEnv(drainEnv);
const telemetry = openTelemetry();
const [{ sqs, store, jobs }, { sealer, refresh }] = await Promise.all([
  outboundStores(env),
  masterKeys(secretCredential(env.MASTER_SECRET)),
]);
const ports = {
  ...{ store, jobs, sealer, sign, telemetry },
  slow: sqsWakeQueue(sqs, env.WAKE_SLOW_QUEUE_URL),
  sender: senderTo(env.OWN_HOSTS.split(',')),
  blobs: new S3Blobs(env.BODIES_BUCKET),
  dead: sqsDeadQueue(sqs, env.WAKES_DEAD_QUEUE_URL),
  receipts: sqsReceiptBox(sqs, env.WAKE_QUEUE_URL),
  codec: nodeCodec,
  crypto: nodeCrypto,
  clock: systemClock,
  ids: systemIds,
  random: systemRandom,
  timer: systemTimer,
};
const { schedule: waits, hold, breaker: opensAt, autoDisableDays, disable: disableAt, attemptLog } = outbound;
const rules = {
  ...{ lane: env.LANE, timings: OUTBOUND_TIMINGS, retentionMs, waits, hold },
  ...{ opensAt, autoDisableDays, disableAt, attemptLog },
};
const tools = { ports, rules, configOf: configsOf(ports), guardOn: egressGuard(ports) };

export const handler = serve(handleWakeUps(tools), { telemetry, keepsTime: true, inner: { before: refresh } });
