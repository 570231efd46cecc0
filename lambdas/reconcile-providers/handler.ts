/**
 * Wiring of `reconcile-providers`, run by a schedule per source: `{ "source": "stripe" }`, and `"dryRun": true` for a
 * look without a change. Answers with a report for each list of the source.
 */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { deliveryApiOf } from '#adapters/provider-apis/delivery-api-of.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { secretCredential } from '#adapters/secrets/secret-credential.ts';
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import { type ReconcileReport, reconcileDeliveries } from '#core/inbound/reconcile/reconcile-deliveries.ts';
import { apiSecretName } from '#core/names.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { inboundStores } from '#lambdas/shared/inbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { reconcileProvidersEnv } from './env.ts';

const env = readEnv(reconcileProvidersEnv);
const telemetry = openTelemetry();
const ports = {
  ...inboundStores(env),
  blobs: new S3Blobs(env.BODIES_BUCKET),
  queue: sqsWorkQueue(createSqsClient(), env.WORK_QUEUE_URL),
  crypto: nodeCrypto,
  codec: nodeCodec,
  clock: systemClock,
  ids: systemIds,
  timer: systemTimer,
  telemetry,
};
/** Kept free at the end, for the page that is being healed. */
const RESERVE_MS = 30_000;

interface SchedulerEvent {
  readonly source?: unknown;
  readonly dryRun?: unknown;
}

export const handler = serve(
  async (schedulerEvent: unknown, context): Promise<ReconcileReport[]> => {
    const { source: name, dryRun } = (schedulerEvent ?? {}) as SchedulerEvent;
    const until = systemClock.now() + context.getRemainingTimeInMillis() - RESERVE_MS;
    const source = config.sources.find(it => it.id === name);
    if (!source?.reconcile)
      throw new RangeError(`"${String(name).slice(0, 60)}" is not a source with \`reconcile\` in gateway.config.ts`);
    const { reconcile } = source;
    const credential = secretCredential(apiSecretName(config, source.id));
    const rules = { ...config, ...reconcile, dryRun: dryRun === true };
    const reports: ReconcileReport[] = [];
    for (const list of reconcile.lists) {
      const api = deliveryApiOf(source.spec.id, list, { baseUrl: reconcile.apiUrl, credential });
      reports.push(await reconcileDeliveries({ source, name: list, api }, until, ports, rules));
    }
    return reports;
  },
  { telemetry, keepsTime: true },
);
