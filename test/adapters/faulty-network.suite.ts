import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { createDynamoDbClient, primeDynamoDb } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbEventWriter } from '#adapters/dynamodb/dynamodb-event-writer.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { createSqsClient, primeSqs } from '#adapters/sqs/create-sqs-client.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemAddresses, systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import { eq, exists, missing } from '#core/condition.ts';
import { PRIME_EVENTS } from '#core/glossary.ts';
import { acceptRequest } from '#core/inbound/ingest/accept-request.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { generic } from '#providers/generic.ts';
import { environmentFor, makeDynamoDbTables } from '#test/adapters/contracts/dynamodb-tables.ts';
import { makeEventItem, mixed } from '#test/adapters/contracts/event-item-fixture.ts';
import { makeSqsQueues } from '#test/adapters/contracts/sqs-queues.ts';
import { MemorySecretValues } from '#test/kit/memory/memory-secrets.ts';
import { resolvedSource } from '#test/kit/resolved-source.ts';
import { type FaultProxy, type ProxyFault, startFaultProxy } from './fault-proxy.ts';

const SECRET = 'a secret of the fault proxy tests';
const source = resolvedSource('proxied', generic);

let events = 0;
const freshItem = (): EventItem => makeEventItem('proxied', `${Date.now().toString(36)}-${++events}`);

async function timed<T>(work: Promise<T>): Promise<{ ms: number; value?: T; error?: unknown }> {
  const start = performance.now();
  try {
    return { value: await work, ms: performance.now() - start };
  } catch (error) {
    return { error, ms: performance.now() - start };
  }
}

/** Real clients with a proxy between them and the services that loses, delays and refuses answers. */
export function faultyNetworkSuite(urls: () => { dynamodb: string; elasticmq: string }): void {
  let tableProxy: FaultProxy;
  let queueProxy: FaultProxy;
  let direct: ReturnType<typeof makeDynamoDbTables>;
  let queues: Awaited<ReturnType<typeof makeSqsQueues>>;
  let store: DynamoDbEventStore;
  let payloads: DynamoDbPayloadStore;
  let control: ReturnType<typeof dynamoDbControlStore>;
  let work: ReturnType<typeof sqsWorkQueue>;

  beforeAll(async () => {
    const { dynamodb, elasticmq } = urls();
    direct = makeDynamoDbTables(dynamodb);
    queues = await makeSqsQueues(elasticmq, 'proxied');
    tableProxy = await startFaultProxy(dynamodb);
    queueProxy = await startFaultProxy(elasticmq);
    const client = createDynamoDbClient(environmentFor(tableProxy.url));
    const sqs = createSqsClient(environmentFor(queueProxy.url));
    store = new DynamoDbEventStore(client, 'events');
    payloads = new DynamoDbPayloadStore(client, 'payloads');
    control = dynamoDbControlStore(client, 'events', systemIds);
    work = sqsWorkQueue(sqs, queues.mainUrl);
    // The services' JVMs answer their first calls late; the time limits below are the product's own.
    for (let n = 0; n < 30; n++) {
      const item = freshItem();
      await direct.store.insert(item);
      await direct.store.transact({ pk: item.pk, condition: exists('pk'), set: { size: n } }, [], `warm-${n}`);
      await queues.work.send('warm', { groupId: 'g' });
    }
    await Promise.all([primeDynamoDb(client, 'events', PRIME_EVENTS), primeSqs(sqs, queues.mainUrl)]);
    await drain();
  });
  afterAll(async () => {
    await Promise.all([tableProxy?.stop(), queueProxy?.stop()]);
  });
  beforeEach(() => {
    tableProxy.plan();
    queueProxy.plan();
  });

  async function drain(): Promise<string[]> {
    const bodies: string[] = [];
    for (let found = await queues.receive(); found.length > 0; found = await queues.receive()) {
      for (const { body, receipt } of found) {
        bodies.push(body);
        await queues.delete(receipt);
      }
    }
    return bodies;
  }

  function deliver(id: string) {
    const body = Buffer.from(
      JSON.stringify({ event_id: id, event_type: 'test', created_at: new Date().toISOString() }),
    );
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const mac = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex');
    const request: RawRequest = {
      method: 'POST',
      rawQuery: '',
      headers: { 'x-webhook-signature': `sha256=${mac}`, 'x-webhook-timestamp': timestamp },
      body,
      sourceIp: '198.51.100.7',
    };
    const values = new MemorySecretValues();
    values.set(source.id, SECRET);
    const telemetry = new MemoryTelemetry();
    const ports = {
      store,
      payloads,
      refused: new RefusedSlots({ next: () => 0 }),
      blobs: new MemoryBlobs(systemClock),
      queue: work,
      secrets: new CachedSecrets(values, systemClock),
      crypto: nodeCrypto,
      codec: nodeCodec,
      addresses: systemAddresses,
      clock: systemClock,
      ids: systemIds,
      timer: systemTimer,
      telemetry,
    };
    const rules = { timings: DEFAULT_TIMINGS, retentionDays: 30, deadRetentionDays: 90, inlineLimitBytes: 65_536 };
    return acceptRequest(source, request, ports, rules);
  }

  describe('bug 2: the own retry of the SDK makes the writer its own duplicate', () => {
    test('an insert whose answer was lost is refused, with our own item', async () => {
      const item = freshItem();
      tableProxy.plan('drop_reply');
      expect(await store.insert(item)).toEqual({ kind: 'refused', item });
      expect(tableProxy.seen).toEqual(['PutItem: drop_reply', 'PutItem: pass']);
    });

    test('a webhook whose record was written and the answer lost is accepted and sent once', async () => {
      await store.note(source.id, Date.now());
      tableProxy.plan('pass', 'drop_reply');
      const id = `lost-${Date.now()}`;
      const reply = await deliver(id);
      expect(reply.status).toBe(200);
      expect(tableProxy.seen).toEqual(['PutItem: pass', 'PutItem: drop_reply', 'PutItem: pass']);
      const messages = (await drain()).map(body => JSON.parse(body) as { pk: string });
      expect(messages.map(message => message.pk)).toEqual([`proxied#${id}`]);
    });

    test('an update whose answer was lost is refused, with our own change', async () => {
      const item = freshItem();
      await direct.store.insert(item);
      tableProxy.plan('drop_reply');
      const claim = { pk: item.pk, condition: missing('owner'), set: mixed({ owner: 'me' }), add: { attempts: 1 } };
      expect(await store.update(claim)).toEqual({ kind: 'refused', item: { ...item, owner: 'me', attempts: 1 } });
    });

    test('a transaction whose answer was lost is applied, once', async () => {
      const item = freshItem();
      await direct.store.insert(item);
      tableProxy.plan('drop_reply');
      const update = {
        pk: item.pk,
        condition: eq('status', 'pending'),
        set: mixed({ status: 'completed' }),
        add: { attempts: 1 },
      };
      const effect = { kind: 'put' as const, table: 'effects', item: { id: item.pk }, condition: missing('id') };
      expect(await store.transact(update, [effect], item.pk.slice(-36))).toEqual({ kind: 'applied' });
      expect(tableProxy.seen).toEqual(['TransactWriteItems: drop_reply', 'TransactWriteItems: pass']);
      expect((await direct.store.get(item.pk))?.attempts).toBe(1);
    });

    test('a control write whose answer was lost is ours, not somebody else’s', async () => {
      const name = `control-${Date.now()}`;
      tableProxy.plan('drop_reply');
      expect(await control.write(name, 'lease', 0)).toBe(true);
      tableProxy.plan('drop_reply');
      expect(await control.write(name, 'lease', 0)).toBe(false);
    });

    test('a payload whose answer was lost is safe', async () => {
      tableProxy.plan('drop_reply');
      const bytes = Uint8Array.of(1, 2, 3);
      await payloads.putBody({
        pk: freshItem().pk,
        sk: `B#${'a'.repeat(64)}`,
        bytes,
        headers: {},
        expiresAt: 4_000_000_000,
      });
    });

    test('a message whose answer was lost is sent twice, and the sender does not know', async () => {
      queueProxy.plan('drop_reply');
      await work.send('twice', { groupId: 'g' });
      expect(await drain()).toEqual(['twice', 'twice']);
    });
  });

  describe('bug 3: a request timeout that does not time out', () => {
    const silences: ProxyFault[] = ['hang', 'hang_after', 'slow_body'];
    /** Each kind of silence at once, through a proxy of its own. */
    const inSilence = (target: string, attempt: (env: Record<string, string>) => Promise<unknown>) =>
      Promise.all(
        silences.map(async fault => {
          const proxy = await startFaultProxy(target);
          proxy.always(fault);
          const { ms, error } = await timed(attempt(environmentFor(proxy.url)));
          const requests = proxy.seen.length;
          await proxy.stop();
          return { fault, ms, error, requests };
        }),
      );

    test.for([
      {
        dependency: 'dynamodb',
        target: () => urls().dynamodb,
        attempt: (env: Record<string, string>) =>
          new DynamoDbEventWriter(createDynamoDbClient(env), 'events').insert(freshItem()),
      },
      {
        dependency: 'sqs',
        target: () => urls().elasticmq,
        attempt: (env: Record<string, string>) =>
          sqsWorkQueue(createSqsClient(env), queues.mainUrl).send('x', { groupId: 'g' }),
      },
    ])(
      '$dependency that goes silent is given up within 2.5 s, outcome unknown',
      async ({ dependency, target, attempt }) => {
        for (const { ms, error, requests } of await inSilence(target(), attempt)) {
          expect(error).toMatchObject({ name: 'DependencyError', dependency, outcome: 'unknown' });
          expect(ms).toBeLessThan(2_500);
          expect(requests).toBeLessThanOrEqual(2);
        }
        await drain();
      },
    );

    test('a webhook is accepted on the strength of the queue within 2.5 s when the table never answers', async () => {
      tableProxy.always('hang');
      const id = `silent-${Date.now()}`;
      const { ms, value } = await timed(deliver(id));
      expect(value?.status).toBe(200);
      expect(ms).toBeLessThan(2_500);
      const [message = '{}'] = await drain();
      expect(JSON.parse(message)).toMatchObject({ pk: `proxied#${id}`, unrecorded: true, payload: expect.any(String) });
    });

    test('a webhook is answered 503 within 4 s when nothing answers', async () => {
      tableProxy.always('hang');
      queueProxy.always('hang');
      const { ms, value } = await timed(deliver(`nothing-${Date.now()}`));
      expect(value?.status).toBe(503);
      expect(ms).toBeLessThan(4_000);
    });
  });

  describe('refusals and resets', () => {
    test.each(['error', 'reset', 'throttle'] as const)('one %s is retried and not seen by the caller', async fault => {
      const item = freshItem();
      tableProxy.plan(fault);
      expect(await store.insert(item)).toEqual({ kind: 'applied', item });
      queueProxy.plan(fault);
      await work.send(fault, { groupId: 'g' });
      expect(await drain()).toEqual([fault]);
    });

    test.each(['error', 'reset', 'throttle'] as const)(
      'two %ss are the end: nothing is known of the outcome',
      async fault => {
        tableProxy.plan(fault, fault);
        const { ms, error } = await timed(store.insert(freshItem()));
        expect(error).toMatchObject({ name: 'DependencyError', outcome: 'unknown' });
        expect(tableProxy.seen).toEqual([`PutItem: ${fault}`, `PutItem: ${fault}`]);
        expect(ms).toBeLessThan(2_000);
      },
    );

    test('a throttle after a lost answer is not taken for "not applied"', async () => {
      const item = freshItem();
      tableProxy.plan('drop_reply', 'throttle');
      const { error } = await timed(store.insert(item));
      expect(error).toMatchObject({ outcome: 'unknown' });
      expect(await direct.store.get(item.pk)).toEqual(item);
    });

    test('a refusal of the request itself is certain', async () => {
      const client = createDynamoDbClient(environmentFor(tableProxy.url));
      const wrong = new DynamoDbEventWriter(client, 'no-such-table');
      await expect(wrong.insert(freshItem())).rejects.toMatchObject({ outcome: 'not_applied' });
    });
  });

  test('every read by key is strongly consistent', async () => {
    const { pk } = freshItem();
    tableProxy.plan();
    await store.get(pk);
    await payloads.getBody(pk, 'a'.repeat(64));
    await payloads.getDetail(pk, 'D#1');
    await control.read('none');
    await store.getMany([pk]);
    const keyed = tableProxy.bodies.map(body => body['ConsistentRead']);
    expect(keyed).toEqual([true, true, true, true, undefined]);
    expect(tableProxy.bodies[4]).toMatchObject({ RequestItems: { events: { ConsistentRead: true } } });
  });

  test('priming never fails, even when nothing answers', async () => {
    const { hostname } = new URL(tableProxy.url);
    const nowhere = environmentFor(`http://${hostname}:1`);
    await primeDynamoDb(createDynamoDbClient(nowhere), 'events', PRIME_EVENTS);
    await primeSqs(createSqsClient(nowhere), queues.mainUrl);
  });
}
