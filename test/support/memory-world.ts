/**
 * The whole product in memory: the real rules and the real function entry points over AWS as adapters/memory models it,
 * on one virtual clock. Journeys, crash enumeration and the simulation all run in it.
 */
import { createHmac } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { FaultPlan } from '#adapters/memory/faults.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryControlStore } from '#adapters/memory/memory-control-store.ts';
import { MemoryDatabase, type MemoryDatabaseOptions } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryFunction } from '#adapters/memory/memory-function.ts';
import { MemoryMapping } from '#adapters/memory/memory-mapping.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { MemoryQueue, type MemoryQueueOptions } from '#adapters/memory/memory-queue.ts';
import {
  MemoryDeadQueue,
  MemoryQueueGauge,
  MemoryReceiptBox,
  MemoryWorkQueue,
} from '#adapters/memory/memory-queue-ports.ts';
import { MemorySecretValues } from '#adapters/memory/memory-secrets.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededIds, SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { SimulatedProcess, SimulatedProcessOptions } from '#adapters/memory/simulated-process.ts';
import { settle, VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { systemAddresses } from '#adapters/system.ts';
import type { EventItem } from '#core/event-item.ts';
import { type EpochMs, type EventPk, type SourceId, toSourceId } from '#core/glossary.ts';
import { isTerminal } from '#core/inbound/event-status.ts';
import { defineHandlers, done, type HandlerRegistry } from '#core/inbound/handler-contract.ts';
import { Pauses } from '#core/inbound/pauses.ts';
import type { ProcessPorts, ProcessRules } from '#core/inbound/process-ports.ts';
import { type SweepRules, sweep } from '#core/inbound/sweep.ts';
import type { Clock } from '#core/ports.ts';
import {
  DEFAULT_RETRY,
  DEFAULT_TIMINGS,
  type ResolvedSource,
  type RetryProfile,
  type Timings,
} from '#core/resolved-config.ts';
import { Breaker } from '#core/retry/breaker.ts';
import { handleRequest } from '#lambdas/ingest/handle-request.ts';
import { handleBatch } from '#lambdas/process/handle-batch.ts';
import { generic } from '#providers/generic.ts';

export const EVENTS = 'events';
export const PAYLOADS = 'payloads';
export const EFFECTS = 'effects';
export const SECRET = 'whsec_test_secret_of_the_memory_world';
const MINUTE = 60_000;

export interface WorldOptions {
  readonly seed?: number;
  /** Faults of every call of every process. */
  readonly plan?: FaultPlan;
  readonly handlers?: (world: MemoryWorld) => HandlerRegistry;
  readonly timings?: Partial<Timings>;
  readonly retry?: RetryProfile;
  readonly sources?: readonly string[];
  readonly source?: Partial<ResolvedSource>;
  readonly process?: Omit<SimulatedProcessOptions, 'clock' | 'plan'>;
  readonly database?: Partial<MemoryDatabaseOptions>;
  readonly queue?: Partial<MemoryQueueOptions>;
  readonly deadQueue?: Partial<MemoryQueueOptions>;
  readonly maximumConcurrency?: number;
  readonly idleMs?: number;
  /** The clock a new environment reads (skew). Default: the true one. */
  readonly clockOf?: (clock: VirtualClock) => Clock;
  readonly inlineLimitBytes?: number;
}

export interface Delivery {
  readonly id: string;
  readonly type?: string;
  readonly data?: unknown;
  readonly source?: string;
  /** The event's own time; default now. */
  readonly createdAt?: EpochMs;
  /** Replaces the whole signed body. */
  readonly rawBody?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `undefined`: no answer (the process died, or the front door's time was over). */
export type Answer = { readonly status: number; readonly body: string } | undefined;

export class MemoryWorld {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly database: MemoryDatabase;
  readonly main: MemoryQueue;
  readonly dead: MemoryQueue;
  readonly blobs: MemoryBlobs;
  readonly secretValues = new MemorySecretValues();
  readonly telemetry = new MemoryTelemetry();
  readonly sources: readonly ResolvedSource[];
  readonly timings: Timings;
  readonly ingest: MemoryFunction;
  readonly process: MemoryFunction;
  readonly sweeper: MemoryFunction;
  readonly mapping: MemoryMapping;
  readonly handlers: HandlerRegistry;
  /** Calls of handlers to the outside, in order. */
  readonly outside: {
    readonly eventId: string;
    readonly key: string;
    readonly at: EpochMs;
    readonly bytes: Uint8Array;
  }[] = [];
  /** Ids answered with the acknowledgement, and when first. */
  readonly acknowledged = new Map<string, EpochMs>();
  private readonly options: WorldOptions;
  private stopSweeping: (() => void) | undefined;

  constructor(options: WorldOptions = {}) {
    this.options = options;
    this.clock = new VirtualClock();
    this.random = new SeededRandom(options.seed ?? 1);
    this.timings = { ...DEFAULT_TIMINGS, ...options.timings };
    const shared = { clock: this.clock, random: this.random.fork() };
    this.database = new MemoryDatabase({ ...shared, ...options.database });
    this.database.define(eventsTable(EVENTS));
    this.database.define(payloadsTable(PAYLOADS));
    this.database.define({ name: EFFECTS, partition: 'id', indexes: [] });
    this.dead = new MemoryQueue({ ...shared, retentionSeconds: 14 * 86_400, ...options.deadQueue });
    const redrive = { deadLetterQueue: this.dead, maxReceiveCount: 1_000 };
    this.main = new MemoryQueue({ ...shared, redrive, ...options.queue });
    this.blobs = new MemoryBlobs(this.clock);
    this.sources = (options.sources ?? ['default']).map(id => this.sourceOf(id));
    for (const { id } of this.sources) this.secretValues.set(id, SECRET);
    this.handlers = options.handlers?.(this) ?? transactionalHandlers(this);
    this.ingest = this.functionOf(10_000, process => this.ingestHandler(process));
    this.process = this.functionOf(this.timings.processTimeoutMs, process => this.processHandler(process));
    this.sweeper = this.functionOf(60_000, process => this.sweepHandler(process));
    this.mapping = new MemoryMapping({
      ...shared,
      queue: this.main,
      invoke: sqsEvent => this.process.invoke(sqsEvent),
      maximumConcurrency: options.maximumConcurrency ?? 20,
      ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
    });
  }

  /** Sends one signed delivery through the ingest function. */
  async deliver(delivery: Delivery): Promise<Answer> {
    const outcome = await this.ingest.invoke(this.apiEvent(delivery));
    if (outcome.kind !== 'returned' || outcome.payload === undefined) return undefined;
    const reply = JSON.parse(outcome.payload) as { statusCode: number; body: string };
    if (reply.statusCode === 200 && !this.acknowledged.has(delivery.id))
      this.acknowledged.set(delivery.id, this.clock.now());
    return { status: reply.statusCode, body: reply.body };
  }

  /** The same, driving the clock until it is answered. */
  post(delivery: Delivery): Promise<Answer> {
    return this.clock.complete(this.deliver(delivery));
  }

  apiEvent(delivery: Delivery): APIGatewayProxyEventV2 {
    const { id, type = 'test.event', data = {}, source = 'default' } = delivery;
    const createdAt = new Date(delivery.createdAt ?? this.clock.now()).toISOString();
    const body = Buffer.from(
      delivery.rawBody ?? JSON.stringify({ event_id: id, event_type: type, created_at: createdAt, data }),
    );
    const timestamp = String(Math.floor(this.clock.now() / 1_000));
    const mac = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-webhook-signature': `sha256=${mac}`,
      'x-webhook-timestamp': timestamp,
      ...delivery.headers,
    };
    const http = {
      method: 'POST',
      path: `/webhooks/${source}`,
      protocol: 'HTTP/1.1',
      sourceIp: '198.51.100.7',
      userAgent: '',
    };
    return {
      version: '2.0',
      routeKey: `POST /webhooks/${source}`,
      rawPath: `/webhooks/${source}`,
      rawQueryString: '',
      headers,
      isBase64Encoded: true,
      body: body.toString('base64'),
      requestContext: { http } as APIGatewayProxyEventV2['requestContext'],
    };
  }

  /** Starts the mapping and the sweeper's minute. */
  start(): void {
    this.mapping.enable();
    const tick = (): void => {
      void this.sweeper.invoke({});
      this.stopSweeping = this.clock.after(MINUTE, tick);
    };
    this.stopSweeping = this.clock.after(MINUTE, tick);
  }

  stop(): void {
    this.mapping.disable();
    this.stopSweeping?.();
  }

  /** Lets time pass until every record is final and nothing is owed. False: not within `limitMs`. */
  async settle(limitMs = 48 * 3_600_000): Promise<boolean> {
    const until = this.clock.now() + limitMs;
    await settle();
    while (this.clock.now() < until) {
      const step = Math.min(until, this.clock.now() + 5 * MINUTE);
      while ((this.clock.nextAt() ?? step) < step) {
        await this.clock.runNext();
      }
      await this.clock.advanceTo(step);
      if (this.items().every(isSettled) && this.main.numbers().visible === 0) return true;
    }
    return this.items().every(isSettled);
  }

  items(): EventItem[] {
    return this.database.dump(EVENTS).filter(it => it['status'] !== undefined) as unknown as EventItem[];
  }

  item(id: string, source = 'default'): EventItem | undefined {
    return this.items().find(it => it.pk === (`${source}#${id}` as EventPk));
  }

  /** How often the transactional effect of an event was applied. */
  effects(id: string): number {
    const row = this.database.dump(EFFECTS).find(it => it['id'] === id);
    return Number(row?.['times'] ?? 0);
  }

  private sourceOf(id: string): ResolvedSource {
    return {
      id: toSourceId(id),
      spec: generic,
      paths: [`/webhooks/${id}`],
      settings: {},
      unhandled: 'dead_letter',
      maxBodyBytes: 4 * 1_048_576,
      dedupOnBody: false,
      dryRun: false,
      quarantine: false,
      retry: this.options.retry ?? DEFAULT_RETRY,
      ...this.options.source,
    };
  }

  private functionOf(
    timeoutMs: number,
    initialise: (
      process: SimulatedProcess,
    ) => (payload: never, context: { getRemainingTimeInMillis(): number }) => Promise<unknown>,
  ): MemoryFunction {
    const { plan, process } = this.options;
    return new MemoryFunction({
      clock: this.clock,
      random: this.random.fork(),
      timeoutMs,
      initialise,
      ...(plan ? { plan } : {}),
      ...(process ? { process } : {}),
    });
  }

  private stores(process: SimulatedProcess) {
    const clock = this.options.clockOf?.(this.clock) ?? this.clock;
    return {
      store: process.wrap('store', 'dynamodb', new MemoryEventStore(this.database, EVENTS)),
      payloads: process.wrap('payloads', 'dynamodb', new MemoryPayloadStore(this.database, PAYLOADS)),
      control: process.wrap('control', 'dynamodb', new MemoryControlStore(this.database, EVENTS)),
      blobs: process.wrap('blobs', 's3', this.blobs),
      queue: process.wrap('queue', 'sqs', new MemoryWorkQueue(this.main)),
      dead: process.wrap('dead', 'sqs', new MemoryDeadQueue(this.dead)),
      gauge: process.wrap('gauge', 'sqs', new MemoryQueueGauge(this.main, this.dead)),
      receipts: process.wrap('receipts', 'sqs', new MemoryReceiptBox(this.main), { neverThrows: ['hide'] }),
      crypto: nodeCrypto,
      codec: nodeCodec,
      addresses: systemAddresses,
      clock,
      ids: new SeededIds(this.random.fork()),
      random: this.random.fork(),
      timer: process.timer,
      telemetry: this.telemetry,
    };
  }

  get rules(): ProcessRules {
    return {
      timings: this.timings,
      retentionDays: 30,
      deadRetentionDays: 90,
      inlineLimitBytes: this.options.inlineLimitBytes ?? 65_536,
      sources: new Map<SourceId, ResolvedSource>(this.sources.map(it => [it.id, it])),
    };
  }

  private ingestHandler(process: SimulatedProcess) {
    const stores = this.stores(process);
    const secrets = new CachedSecrets(process.wrap('secrets', 'secrets', this.secretValues), stores.clock);
    return handleRequest(this.sources, { ...stores, secrets }, this.rules) as never;
  }

  /** The processor's ports as one process sees them; for tests that call the rules directly. */
  processPorts(process: SimulatedProcess): ProcessPorts {
    const stores = this.stores(process);
    return {
      ...stores,
      pauses: new Pauses(stores.control, stores.clock, this.timings.pauseCacheMs),
      breaker: new Breaker(),
      handlers: this.handlers,
    };
  }

  private processHandler(process: SimulatedProcess) {
    return handleBatch(this.processPorts(process), this.rules) as never;
  }

  private sweepHandler(process: SimulatedProcess) {
    const stores = this.stores(process);
    const rules: SweepRules = {
      ...this.rules,
      sourceIds: this.sources.map(it => it.id),
      sendsPerSecond: 300,
      deadQueueRetentionSeconds: 14 * 86_400,
    };
    return (async () => sweep(50_000, stores, rules)) as never;
  }
}

/** Nothing is owed for the event any more. */
export function isSettled(item: EventItem): boolean {
  return (
    isTerminal(item.status) && (item.status !== 'dead_letter' || item.dlqSent === true) && item.watchAt === undefined
  );
}

/** One handler for everything: a transactional effect, and a call to the outside with the idempotency key. */
export function transactionalHandlers(world: MemoryWorld): HandlerRegistry {
  return defineHandlers([
    {
      source: '*',
      type: '*',
      handle: async (event, context) => {
        const eventId = event.id.slice(event.id.indexOf('.') + 1);
        world.outside.push({ eventId, key: context.idempotencyKey, at: world.clock.now(), bytes: event.bytes });
        context.transact([{ kind: 'update', table: EFFECTS, key: { id: eventId }, add: { times: 1 } }]);
        return done({ actionTaken: 'counted' });
      },
    },
  ]);
}
