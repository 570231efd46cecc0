/**
 * The product's own entry points over AWS as adapters/memory models it, with everything counted that AWS would bill.
 * Nothing fails here unless a script asks for it: no spare copies, no lag beyond the indexes', no lost deletes.
 */

import type { APIGatewayProxyEventV2, SQSEvent } from 'aws-lambda';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { SeededIds, SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { systemAddresses, systemTimer } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { type EventKey, toEventPk, toSourceId } from '#core/glossary.ts';
import type { HandlerRegistry } from '#core/handler/handler-contract.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import { Pauses } from '#core/inbound/protocol/pauses.ts';
import { replayEvent } from '#core/inbound/replay/replay-event.ts';
import { sweep } from '#core/inbound/sweep/sweep.ts';
import type { BlobStore, WorkQueue } from '#core/ports.ts';
import { Breaker } from '#core/retry/breaker.ts';
import { handleRequest } from '#lambdas/ingest/handle-request.ts';
import { handleBatch } from '#lambdas/process/handle-batch.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import type { ProviderEvent } from '#test/kit/events/event-builder.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { MemorySecretValues } from '#test/kit/memory/memory-secrets.ts';
import { toRecord } from '#test/kit/memory/queue/memory-mapping.ts';
import {
  MemoryDeadQueue,
  MemoryQueueGauge,
  MemoryReceiptBox,
  MemoryWorkQueue,
} from '#test/kit/memory/queue/memory-queue-ports.ts';
import { apiEventOf } from '../loopback/requests.ts';
import { Meter } from './counters.ts';
import { CountingDatabase } from './counting-database.ts';
import { CountingQueue } from './counting-queue.ts';

const EVENTS = 'events';
const PAYLOADS = 'payloads';
export const EFFECTS = 'effects';
const SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgYmlsbGVkIGdhdGV3YXk=';
/** As API Gateway writes it (lib/constructs/ingest-api.ts), with values of usual length. */
export const ACCESS_LOG_LINE = JSON.stringify({
  requestId: 'JKJaXmPLvHcESHA=',
  ip: '203.0.113.100',
  route: 'POST /webhooks/shopify',
  status: '200',
  latencyMs: '23',
  integrationMs: '21',
  bytes: '74',
  error: '-',
  integrationError: '-',
});
const HTTP_CHUNK_BYTES = 512 * 1024;
/** Between two requests, at a million a day. */
const GAP_MS = 86;

class Crash extends Error {}

export class BilledGateway {
  readonly meter = new Meter();
  readonly clock = new VirtualClock();
  readonly database: CountingDatabase;
  readonly main: CountingQueue;
  readonly dead: CountingQueue;
  readonly #ingest: (event: APIGatewayProxyEventV2) => Promise<unknown>;
  readonly #process: (event: SQSEvent, context: { getRemainingTimeInMillis(): number }) => Promise<unknown>;
  readonly #telemetry: EmfTelemetry;
  readonly #stores;
  readonly #config = resolveConfig(gateway, 'prod', PROVIDERS);
  readonly #batchSize: number;
  #crashBeforeSend = false;

  constructor(options: { readonly batchSize: number; readonly handlers: HandlerRegistry }) {
    this.#batchSize = options.batchSize;
    const random = new SeededRandom(7);
    const shared = { clock: this.clock, random: random.fork() };
    this.database = new CountingDatabase({ ...shared, indexLagMs: () => 0, ttlDelayMs: () => 0 }, this.meter);
    this.database.define(eventsTable(EVENTS));
    this.database.define(payloadsTable(PAYLOADS));
    this.database.define({ name: EFFECTS, partition: 'id' });
    this.dead = new CountingQueue({ ...shared, duplicateRate: 0 }, this.meter, 'dead');
    this.main = new CountingQueue({ ...shared, duplicateRate: 0 }, this.meter, 'work');
    this.#telemetry = new EmfTelemetry({
      environment: this.#config.environment,
      level: this.#config.logLevel,
      write: line => this.#countLog(line),
      now: () => this.clock.now(),
    });
    const values = new MemorySecretValues();
    for (const { id } of this.#config.sources) values.set(id, SECRET);
    const secrets = new CachedSecrets(values, this.clock);
    this.#stores = this.#storesOf(random);
    this.#ingest = handleRequest(
      this.#config.sources,
      { ...this.#stores, secrets, refused: new RefusedSlots(random) },
      this.#config,
    );
    const pauses = new Pauses(this.#stores, this.#config.timings.pauseCacheMs);
    const processPorts = { ...this.#stores, pauses, breaker: new Breaker(), handlers: options.handlers };
    this.#process = handleBatch(processPorts, {
      ...this.#config,
      sources: new Map(this.#config.sources.map(it => [it.id, it])),
    });
  }

  /** One delivery as its provider signs it. Answers the status, or undefined when the function died. */
  async deliver(event: ProviderEvent): Promise<number | undefined> {
    await this.clock.advanceBy(GAP_MS);
    const request = apiEventOf(event, SECRET, this.clock.now());
    this.meter.counts.httpRequests += Math.max(1, Math.ceil(Buffer.byteLength(event.body) / HTTP_CHUNK_BYTES));
    this.#countLog(ACCESS_LOG_LINE);
    this.meter.counts.invocations.ingest += 1;
    try {
      const answer = (await this.#ingest(request)) as { statusCode: number };
      return answer.statusCode;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      return undefined;
    } finally {
      this.#telemetry.flush();
    }
  }

  /** The same, with the process killed between recording the event and sending its message. */
  async deliverAndCrash(event: ProviderEvent): Promise<void> {
    this.#crashBeforeSend = true;
    await this.deliver(event);
    this.#crashBeforeSend = false;
  }

  /** Lambda's poller until the queue holds nothing that is due: batches, invocations, deletes. */
  async drain(): Promise<void> {
    for (;;) {
      if (this.main.numbers().visible === 0) return;
      const batch = this.main.receive(this.#batchSize);
      await this.clock.advanceBy(GAP_MS * batch.length);
      this.meter.counts.invocations.process += 1;
      const answer = await this.#process({ Records: batch.map(toRecord) }, { getRemainingTimeInMillis: () => 30_000 });
      this.#telemetry.flush();
      const { batchItemFailures } = answer as { batchItemFailures: { itemIdentifier: string }[] };
      const failed = new Set(batchItemFailures.map(it => it.itemIdentifier));
      this.main.deleteBatch(batch.filter(it => !failed.has(it.messageId)).map(it => it.receipt));
    }
  }

  /** A person replays one event. */
  async replay(event: ProviderEvent): Promise<void> {
    const item = await this.#stores.store.get(toEventPk(toSourceId(event.provider), event.id as EventKey));
    if (!item) throw new Error(`There is no record of ${event.provider} ${event.id} to replay`);
    const request = { replayId: 'replay-1', by: 'bench', why: 'bench' };
    const result = await replayEvent(item, request, this.#stores, this.#config);
    if (result.kind !== 'replayed') throw new Error(`The replay was refused: ${JSON.stringify(result)}`);
  }

  async sweep(): Promise<void> {
    await sweep(50_000, this.#stores, {
      ...this.#config,
      sourceIds: this.#config.sources.map(it => it.id),
      sendsPerSecond: this.#config.sweepSendsPerSecond,
      deadQueueRetentionSeconds: this.#config.deadQueueRetentionSeconds,
    });
    this.#telemetry.flush();
  }

  /** Bytes the two tables hold, as their storage is billed. */
  storedBytes(): { readonly events: number; readonly payloads: number } {
    return { events: this.database.storedBytes(EVENTS), payloads: this.database.storedBytes(PAYLOADS) };
  }

  #storesOf(random: SeededRandom) {
    const queue = new MemoryWorkQueue(this.main);
    return {
      store: new MemoryEventStore(this.database, EVENTS) as EventStore,
      payloads: new MemoryPayloadStore(this.database, PAYLOADS),
      control: new MemoryControlStore(this.database, EVENTS),
      blobs: this.#countingBlobs(),
      queue: { send: async (...given: Parameters<WorkQueue['send']>) => this.#sendOrCrash(queue, given) },
      dead: new MemoryDeadQueue(this.dead),
      gauge: new MemoryQueueGauge(this.main, this.dead),
      receipts: new MemoryReceiptBox(this.main),
      crypto: nodeCrypto,
      codec: nodeCodec,
      addresses: systemAddresses,
      clock: this.clock,
      ids: new SeededIds(random.fork()),
      random: random.fork(),
      timer: systemTimer,
      telemetry: this.#telemetry,
    };
  }

  #sendOrCrash(queue: WorkQueue, given: Parameters<WorkQueue['send']>): Promise<void> {
    if (this.#crashBeforeSend) throw new Crash('killed before the send');
    return queue.send(...given);
  }

  #countingBlobs(): BlobStore {
    const blobs = new MemoryBlobs(this.clock);
    return {
      put: (key, bytes) => {
        this.meter.counts.s3Puts += 1;
        return blobs.put(key, bytes);
      },
      get: key => {
        this.meter.counts.s3Gets += 1;
        return blobs.get(key);
      },
    };
  }

  #countLog(line: string): void {
    this.meter.counts.logBytes += Buffer.byteLength(line) + 1;
  }
}
