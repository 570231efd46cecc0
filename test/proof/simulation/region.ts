/**
 * The whole product in one simulated region: the real rules and function entry points over AWS as adapters/memory models
 * it, with a clock of its own on every host and every change told to the ledger.
 */

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryDatabase, type MemoryDatabaseOptions } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { SeededIds, type SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { systemAddresses } from '#adapters/system.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import type { SourceId } from '#core/glossary.ts';
import type { HandlerRegistry } from '#core/handler/handler-contract.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import type { ControlStore, EventStore } from '#core/inbound/ports.ts';
import type { ProcessRules } from '#core/inbound/process/process-ports.ts';
import { Pauses } from '#core/inbound/protocol/pauses.ts';
import { type Shards, watchKeys } from '#core/inbound/protocol/spread.ts';
import { spreadStore } from '#core/inbound/protocol/spread-store.ts';
import { DEFAULT_TIMINGS, type Timings } from '#core/inbound/protocol/timings.ts';
import { sweep } from '#core/inbound/sweep/sweep.ts';
import type { SweepRules } from '#core/inbound/sweep/sweep-ports.ts';
import { auditRecords } from '#core/inbound/watch/audit-records.ts';
import type { WorkQueue } from '#core/ports.ts';
import { Breaker } from '#core/retry/breaker.ts';
import { DAY_SECONDS } from '#core/time.ts';
import { handleRequest } from '#lambdas/ingest/handle-request.ts';
import { handleBatch } from '#lambdas/process/handle-batch.ts';
import type { FaultPlan } from '#test/kit/memory/faults.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { MemoryFunction } from '#test/kit/memory/memory-function.ts';
import { MemorySecretValues } from '#test/kit/memory/memory-secrets.ts';
import { MemoryMapping } from '#test/kit/memory/queue/memory-mapping.ts';
import type { MemoryQueueOptions } from '#test/kit/memory/queue/memory-queue.ts';
import {
  MemoryDeadQueue,
  MemoryQueueGauge,
  MemoryReceiptBox,
  MemoryWorkQueue,
} from '#test/kit/memory/queue/memory-queue-ports.ts';
import { SimulatedProcess } from '#test/kit/memory/simulated-process.ts';
import { resolvedSource } from '#test/kit/resolved-source.ts';
import { CountingTelemetry } from './counting-telemetry.ts';
import { EFFECTS } from './handlers.ts';
import { Ledger, type LedgerOptions } from './ledger.ts';
import { type Provider, type Request, SECRET } from './providers.ts';
import { WatchedQueue } from './watched-queue.ts';

export const EVENTS = 'events';
export const PAYLOADS = 'payloads';
const SWEEP_BUDGET_MS = 50_000;
/** The rate of the bulk replays people start here. */
export const MOST_REPLAYS_PER_SECOND = 10;

export interface RegionOptions {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly providers: readonly Provider[];
  readonly handlersOf: (process: SimulatedProcess, region: Region) => HandlerRegistry;
  readonly onFinal?: LedgerOptions['onFinal'];
  /** Faults of single calls, by the function that makes them. */
  readonly plan?: FaultPlan;
  readonly sweeperPlan?: FaultPlan;
  /** Hosts' clocks are off by up to this much. */
  readonly skewMs?: number;
  readonly timings?: Partial<Timings>;
  readonly retentionDays?: number;
  readonly sweepSendsPerSecond?: number;
  /** Sources that are spread over several keys. */
  readonly shards?: Shards;
  readonly database?: Partial<MemoryDatabaseOptions>;
  readonly queue?: Partial<MemoryQueueOptions>;
  readonly maximumConcurrency?: number;
  readonly deleteFailureRate?: number;
  readonly idleMs?: number;
  /** Default: a minute. */
  readonly sweepEveryMs?: number;
  /** Runs of the sweeper started at the same moment. Default 1. */
  readonly sweepers?: number;
  /** Virtual milliseconds to a service and back. Default: 1 to 14. */
  readonly latencyMs?: () => { readonly there: number; readonly back: number };
  /** The control store as the sweeper sees it; a scenario takes its lease away here. */
  readonly sweeperControl?: (control: ControlStore) => ControlStore;
}

export class Region {
  readonly clock: VirtualClock;
  readonly ledger: Ledger;
  readonly telemetry = new CountingTelemetry(line => this.ledger.reported(line));
  readonly database: MemoryDatabase;
  readonly main: WatchedQueue;
  readonly dead: WatchedQueue;
  readonly secretValues = new MemorySecretValues();
  readonly sources: readonly ResolvedSource[];
  readonly timings: Timings;
  readonly ingest: MemoryFunction;
  readonly process: MemoryFunction;
  readonly sweeper: MemoryFunction;
  readonly auditor: MemoryFunction;
  readonly mapping: MemoryMapping;
  /** The most messages in flight at once. */
  mostInFlight = 0;
  readonly #options: RegionOptions;
  readonly #random: SeededRandom;
  readonly #blobs: MemoryBlobs;

  constructor(options: RegionOptions) {
    this.#options = options;
    const random = options.random.fork();
    this.#random = random;
    const { clock, skewMs = 0, onFinal } = options;
    this.clock = clock;
    const lifetimes = { retentionDays: options.retentionDays ?? 30, deadRetentionDays: 90 };
    this.ledger = new Ledger({ now: () => clock.now(), skewMs, ...lifetimes, ...given({ onFinal }) });
    this.timings = { ...DEFAULT_TIMINGS, ...options.timings };
    this.database = new MemoryDatabase({
      clock,
      random: random.fork(),
      ...options.database,
      onChange: change => {
        if (change.table === EVENTS) this.ledger.eventChanged(change);
        else if (change.table === PAYLOADS) this.ledger.payloadChanged(change);
        else this.ledger.effectChanged(change);
      },
    });
    this.database.define(eventsTable(EVENTS));
    this.database.define(payloadsTable(PAYLOADS));
    this.database.define({ name: EFFECTS, partition: 'id', indexes: [] });
    const queue = { clock, random: random.fork(), ...options.queue };
    // The sweeper reads this queue all day: spare copies at the rate of the main queue would be one for every message.
    const dead = { ...queue, duplicateRate: 0, retentionSeconds: 14 * DAY_SECONDS, visibilitySeconds: 30 };
    this.dead = new WatchedQueue('dead', this.ledger, dead);
    const redrive = { deadLetterQueue: this.dead, maxReceiveCount: 1_000 };
    this.main = new WatchedQueue('main', this.ledger, { ...queue, redrive });
    this.#blobs = new MemoryBlobs(clock);
    this.sources = options.providers.map(sourceOf);
    for (const { id } of this.sources) this.secretValues.set(id, SECRET);
    const { plan, sweeperPlan } = options;
    this.ingest = this.#functionOf(10_000, plan, process => this.#ingestHandler(process));
    this.process = this.#functionOf(this.timings.processTimeoutMs, plan, process => this.#processHandler(process));
    this.sweeper = this.#functionOf(60_000, sweeperPlan, process => this.#sweepHandler(process));
    this.auditor = this.#functionOf(900_000, sweeperPlan, process => this.#auditHandler(process));
    this.mapping = new MemoryMapping({
      clock,
      random: random.fork(),
      queue: this.main,
      invoke: sqsEvent => this.process.invoke(sqsEvent),
      maximumConcurrency: options.maximumConcurrency ?? 20,
      idleMs: options.idleMs ?? 5_000,
      deleteFailureRate: options.deleteFailureRate ?? 0,
      onBatch: () => this.lookAtQueue(),
    });
  }

  lookAtQueue(): void {
    this.mostInFlight = Math.max(this.mostInFlight, this.main.numbers().hidden);
  }

  /** Entries of the watch index, as a query sees them now. */
  readonly countWatched = (): number => {
    const shards = this.sources.flatMap(({ id }) =>
      [0, 1, 2, 3].flatMap(part => watchKeys(id, part, this.#options.shards?.[id] ?? 1)),
    );
    const query = { newestFirst: false, limit: 1_000 };
    return shards.reduce(
      (sum, partition) => sum + this.database.query(EVENTS, 'watch', { partition, ...query }).items.length,
      0,
    );
  };

  /** Starts what AWS runs by itself: the mapping, the sweeper's minute and the audit's day. */
  start(): void {
    this.mapping.enable();
    const every = (ms: number, work: () => void): void => {
      this.clock.after(ms, () => {
        work();
        every(ms, work);
      });
    };
    every(this.#options.sweepEveryMs ?? 60_000, () => {
      for (let n = this.#options.sweepers ?? 1; n > 0; n--) void this.sweeper.invoke({});
    });
    every(DAY_SECONDS * 1_000, () => void this.auditor.invoke({}));
  }

  /** One request through the front door: the status that was answered, or undefined when the function gave none. */
  async request(source: string, { body, headers }: Request): Promise<number | undefined> {
    const path = `/webhooks/${source}`;
    const http = { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '198.51.100.7', userAgent: '' };
    const apiEvent: APIGatewayProxyEventV2 = {
      version: '2.0',
      routeKey: `POST ${path}`,
      rawPath: path,
      rawQueryString: '',
      headers: { ...headers },
      isBase64Encoded: true,
      body: body.toString('base64'),
      requestContext: { http } as APIGatewayProxyEventV2['requestContext'],
    };
    const outcome = await this.ingest.invoke(apiEvent);
    if (outcome.kind !== 'returned' || outcome.payload === undefined) return undefined;
    return (JSON.parse(outcome.payload) as { statusCode: number }).statusCode;
  }

  /** A process beside the functions: the CLI of a person. */
  newProcess(): SimulatedProcess {
    const { plan } = this.#options;
    return new SimulatedProcess({ clock: this.clock, latencyMs: this.#latency, ...given({ plan }) });
  }

  /** All ports as one process sees them. */
  ports(process: SimulatedProcess) {
    const { skewMs = 0 } = this.#options;
    const clock = skewMs === 0 ? this.clock : this.clock.skewed(Math.round((this.#random.next() * 2 - 1) * skewMs));
    return {
      store: process.wrap('store', 'dynamodb', this.#store()),
      payloads: process.wrap('payloads', 'dynamodb', new MemoryPayloadStore(this.database, PAYLOADS)),
      control: process.wrap('control', 'dynamodb', new MemoryControlStore(this.database, EVENTS)),
      blobs: process.wrap('blobs', 's3', this.#blobs),
      queue: process.wrap('queue', 'sqs', new MemoryWorkQueue(this.main)),
      dead: process.wrap('dead', 'sqs', new MemoryDeadQueue(this.dead)),
      gauge: process.wrap('gauge', 'sqs', new MemoryQueueGauge(this.main, this.dead)),
      receipts: process.wrap('receipts', 'sqs', new MemoryReceiptBox(this.main), { neverThrows: ['hide'] }),
      crypto: nodeCrypto,
      codec: nodeCodec,
      addresses: systemAddresses,
      clock,
      ids: new SeededIds(this.#random.fork()),
      random: this.#random.fork(),
      timer: process.timer,
      telemetry: this.telemetry,
    };
  }

  get rules(): ProcessRules {
    return {
      timings: this.timings,
      retentionDays: this.#options.retentionDays ?? 30,
      deadRetentionDays: 90,
      // Small, so that the path through S3 is walked by bodies of a few KB.
      inlineLimitBytes: 1_024,
      sources: new Map<SourceId, ResolvedSource>(this.sources.map(it => [it.id, it])),
    };
  }

  #store(): EventStore {
    return spreadStore(new MemoryEventStore(this.database, EVENTS), this.#options.shards);
  }

  readonly #latency = (): { there: number; back: number } =>
    this.#options.latencyMs?.() ?? {
      there: 1 + this.#random.int(8),
      back: this.#random.chance(0.3) ? 1 + this.#random.int(6) : 0,
    };

  #functionOf(
    timeoutMs: number,
    plan: FaultPlan | undefined,
    initialise: (
      process: SimulatedProcess,
    ) => (payload: never, context: { getRemainingTimeInMillis(): number }) => Promise<unknown>,
  ): MemoryFunction {
    const process = { latencyMs: this.#latency };
    const random = this.#random.fork();
    const invoked = (own: SimulatedProcess) => oneInvocation(initialise(own));
    const common = { clock: this.clock, random, timeoutMs, initialise: invoked, process };
    return new MemoryFunction({ ...common, ...given({ plan }) });
  }

  #ingestHandler(process: SimulatedProcess) {
    const ports = this.ports(process);
    const secrets = new CachedSecrets(process.wrap('secrets', 'secrets', this.secretValues), ports.clock);
    return handleRequest(
      this.sources,
      { ...ports, secrets, refused: new RefusedSlots(ports.random) },
      this.rules,
    ) as never;
  }

  #processHandler(process: SimulatedProcess) {
    const ports = this.ports(process);
    const pauses = new Pauses(ports, this.timings.pauseCacheMs);
    const handlers = this.#options.handlersOf(process, this);
    return handleBatch({ ...ports, pauses, breaker: new Breaker(), handlers }, this.rules) as never;
  }

  #sweepHandler(process: SimulatedProcess) {
    const ports = this.ports(process);
    const { sweeperControl = it => it, sweepSendsPerSecond = 300 } = this.#options;
    const rules: SweepRules = {
      ...this.rules,
      sourceIds: this.sources.map(it => it.id),
      sendsPerSecond: sweepSendsPerSecond,
      shards: this.#options.shards ?? {},
      deadQueueRetentionSeconds: 14 * DAY_SECONDS,
    };
    return (async () => {
      let sent = 0;
      const queue: WorkQueue = {
        send: (body, sendOptions) => {
          sent += 1;
          return ports.queue.send(body, sendOptions);
        },
      };
      try {
        await sweep(SWEEP_BUDGET_MS, { ...ports, queue, control: sweeperControl(ports.control) }, rules);
      } finally {
        const cap = ((sweepSendsPerSecond + MOST_REPLAYS_PER_SECOND) * SWEEP_BUDGET_MS) / 1_000 + 25;
        this.ledger.look('I12', sent <= cap, () => `one run of the sweeper sent ${sent} messages, cap ${cap}`);
      }
    }) as never;
  }

  #auditHandler(process: SimulatedProcess) {
    const ports = this.ports(process);
    return (async () => auditRecords(ports.clock.now() + 800_000, ports, this.rules)) as never;
  }
}

function sourceOf({ source, spec }: Provider): ResolvedSource {
  return resolvedSource(source, spec, { unhandled: source === 'slack' ? 'dead_letter' : 'ignore' });
}
