/** What the API of the producer and that of its customers have: one set of ports, one set of rules. */
import { randomBytes } from 'node:crypto';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { masterKeys } from '#adapters/crypto/master-keys.ts';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { lazySchemaJudge } from '#adapters/json-schema/lazy-schema-judge.ts';
import { once } from '#adapters/once.ts';
import { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import { secretCredential } from '#adapters/secrets/secret-credential.ts';
import { sqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
import { systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import type { ApiPorts, ApiRules } from '#core/outbound/api/api-call.ts';
import { rowNotes } from '#core/outbound/fan-out/note-rows.ts';
import { config } from './baked-config.ts';
import type { outboundApiEnv } from './outbound-api-env.ts';
import { outbound, retentionMs } from './outbound-config.ts';
import { outboundStores } from './outbound-stores.ts';
import type { Env } from './read-env.ts';
import { openTelemetry } from './serve.ts';
import { targetRules } from './target-rules.ts';

/** At init: the clients are primed, the master secret is read, and by `refresh` again. Throws DependencyError when it cannot be read. */
export async function outboundApi(env: Env<typeof outboundApiEnv>) {
  const telemetry = openTelemetry();
  const [{ sqs, store, jobs }, master] = await Promise.all([
    outboundStores(env),
    masterKeys(secretCredential(env.MASTER_SECRET)),
  ]);
  const ports: ApiPorts = {
    ...{ store, jobs, telemetry },
    sealer: master.sealer,
    get portalKeys() {
      return master.portalKeys();
    },
    wake: sqsWakeQueue(sqs, env.WAKE_FAST_QUEUE_URL),
    sending: once(async () => {
      const { senderTo, sign } = await import('./outbound-sending.ts');
      return { sign, sender: senderTo([]) };
    }),
    blobs: new S3Blobs(env.BODIES_BUCKET),
    codec: nodeCodec,
    crypto: nodeSigningCrypto,
    clock: systemClock,
    judge: lazySchemaJudge(),
    ids: systemIds,
    noteRows: rowNotes(store, systemClock),
    timer: systemTimer,
    randomBytes: (count: number): Uint8Array => new Uint8Array(randomBytes(count)),
  };
  return { ports, telemetry, refresh: { before: master.refresh } };
}

/** For the host that was called, which no endpoint may be. `apiUrl`: the API's own address, for links. */
export const rulesOf = (ownHost: string, apiUrl = `https://${ownHost}`): ApiRules => ({
  ...{ environment: config.environment, retentionMs, headerPrefix: outbound.headerPrefix },
  timeoutMs: outbound.timeoutSeconds * 1_000,
  form: outbound,
  target: targetRules([ownHost]),
  replaysPerSecond: config.replaysPerSecond,
  ...(outbound.contacts ? { contacts: outbound.email ? ['url', 'email'] : ['url'] } : {}),
  ...(outbound.portal === undefined ? {} : { portalUrl: `${outbound.portal.url ?? apiUrl}/portal` }),
});
