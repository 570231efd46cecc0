import { createHmac } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { systemAddresses, systemClock, systemIds, systemRandom, systemTimer } from '#adapters/system.ts';
import type { EventPk } from '#core/glossary.ts';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import { acceptRequest } from '#core/inbound/ingest/accept-request.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import { processBatch } from '#core/inbound/process/process-batch.ts';
import type { ProcessPorts, ProcessRules } from '#core/inbound/process/process-ports.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import type { Reply } from '#core/reply.ts';
import { Breaker } from '#core/retry/breaker.ts';
import { generic } from '#providers/generic.ts';
import { makeDynamoDbTables } from '#test/adapters/contracts/dynamodb-tables.ts';
import { makeSqsQueues } from '#test/adapters/contracts/sqs-queues.ts';
import { MemorySecretValues } from '#test/kit/memory/memory-secrets.ts';
import { resolvedSource } from '#test/kit/resolved-source.ts';

const SECRET = 'a secret of the whole path tests';
const source = resolvedSource('whole', generic, { retry: { attempts: 2, baseSeconds: 0, capSeconds: 0 } });
const rules: ProcessRules = {
  // The machine may be starved; what is tested here is not speed.
  timings: { ...DEFAULT_TIMINGS, ingestBudgetMs: 60_000, recordBudgetMs: 30_000 },
  retentionDays: 30,
  deadRetentionDays: 90,
  inlineLimitBytes: 65_536,
  sources: new Map([[source.id, source]]),
};

/** The rules themselves on the real adapters, from the signed request to the effect. */
export function wholePathSuite(urls: () => { dynamodb: string; elasticmq: string }): void {
  let tables: ReturnType<typeof makeDynamoDbTables>;
  let queues: Awaited<ReturnType<typeof makeSqsQueues>>;
  let ports: ProcessPorts;
  const telemetry = new MemoryTelemetry();
  const values = new MemorySecretValues();
  values.set(source.id, SECRET);

  beforeAll(async () => {
    tables = makeDynamoDbTables(urls().dynamodb);
    queues = await makeSqsQueues(urls().elasticmq, 'whole');
    ports = {
      store: tables.store,
      payloads: tables.payloads,
      blobs: new MemoryBlobs(systemClock),
      queue: queues.work,
      dead: queues.dead,
      receipts: queues.receipts,
      pauses: { isPaused: async () => false },
      breaker: new Breaker(),
      handlers: defineHandlers([
        {
          source: '*',
          type: 'good',
          handle: async (event, context) => {
            context.transact([{ kind: 'update', table: 'effects', key: { id: event.id }, add: { times: 1 } }]);
            return done();
          },
        },
        {
          source: '*',
          type: 'poison',
          handle: async () => {
            throw new Error('never works');
          },
        },
      ]),
      crypto: nodeCrypto,
      codec: nodeCodec,
      clock: systemClock,
      ids: systemIds,
      random: systemRandom,
      timer: systemTimer,
      telemetry,
    };
  });

  /** The same signed request each time it is called. */
  function requestOf(id: string, type: string): () => Promise<Reply> {
    const body = Buffer.from(JSON.stringify({ event_id: id, event_type: type, created_at: new Date().toISOString() }));
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const mac = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex');
    const request = {
      method: 'POST',
      rawQuery: '',
      headers: { 'x-webhook-signature': `sha256=${mac}`, 'x-webhook-timestamp': timestamp },
      body,
      sourceIp: '198.51.100.7',
    };
    const secrets = new CachedSecrets(values, systemClock);
    return () =>
      acceptRequest(
        source,
        request,
        { ...ports, secrets, refused: new RefusedSlots(systemRandom), addresses: systemAddresses },
        rules,
      );
  }

  /** One worker of the mapping: receives, processes, deletes what is done, until the queue stays empty. */
  async function work(): Promise<void> {
    for (let idle = 0; idle < 3; ) {
      const batch = await queues.receive();
      idle = batch.length === 0 ? idle + 1 : 0;
      if (batch.length === 0) await systemTimer.sleep(700);
      const returned = new Set(await processBatch(batch, 30_000, ports, rules));
      for (const { receipt } of batch) if (!returned.has(receipt)) await queues.delete(receipt);
    }
  }

  test('the same signed event fifty times at once: every answer 200, exactly one effect', async () => {
    const deliver = requestOf('fifty', 'good');
    const replies = await Promise.all(Array.from({ length: 50 }, deliver));
    expect(replies.map(reply => reply.status)).toEqual(Array.from({ length: 50 }, () => 200));
    await Promise.all([work(), work(), work()]);
    const pk = 'whole#fifty' as EventPk;
    expect(await tables.store.get(pk)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(await tables.readEffect('evt_whole.fifty')).toEqual({ id: 'evt_whole.fifty', times: 1 });
    expect((await requestOf('fifty', 'good')()).status).toBe(200);
    expect((await queues.gauge.main()).visible).toBe(0);
  });

  test('an event whose handler throws is retried and ends in the dead-letter queue; its neighbours complete once', async () => {
    const ids = Array.from({ length: 9 }, (_, n) => `neighbour-${n}`);
    await Promise.all([requestOf('poison', 'poison')(), ...ids.map(id => requestOf(id, 'good')())]);
    await work();
    await work();
    expect(await tables.store.get('whole#poison' as EventPk)).toMatchObject({
      status: 'dead_letter',
      attempts: 2,
      dlqSent: true,
    });
    const [dead] = await queues.dead.receive(10);
    expect(JSON.parse(dead?.body ?? '{}')).toMatchObject({ pk: 'whole#poison', deadId: expect.any(String) });
    for (const id of ids) {
      expect(await tables.store.get(`whole#${id}` as EventPk)).toMatchObject({ status: 'completed', attempts: 1 });
      expect((await tables.readEffect(`evt_whole.${id}`))?.['times']).toBe(1);
    }
  });
}
