/**
 * The whole product in memory: the real rules and the real function entry points over AWS as adapters/memory models it,
 * on one virtual clock. Journeys, crash enumeration and the simulation all run in it.
 */
// Read with the first handshake in a function; here it is there from the start, because virtual time waits for no file.
import { given } from '#core/given.ts';
import '#core/verification/handshake.ts';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { oneInvocation } from '#adapters/lifetime.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable } from '#adapters/memory/memory-event-store.ts';
import { payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { settle, VirtualClock } from '#adapters/memory/virtual-clock.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { CONTROL_PREFIX, type EpochMs, type EventKey, type SourceId, toEventPk, toSourceId } from '#core/glossary.ts';
import { defineHandlers, done, type HandlerRegistry } from '#core/handler/handler-contract.ts';
import type { IngestRules } from '#core/inbound/ingest/ingest-ports.ts';
import type { ProcessPorts, ProcessRules } from '#core/inbound/process/process-ports.ts';
import type { CloseResult } from '#core/inbound/protocol/close-death.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { DEFAULT_TIMINGS, type Timings } from '#core/inbound/protocol/timings.ts';
import type { ReplayRequest, ReplayResult } from '#core/inbound/replay/replay-event.ts';
import type { SweeperRecord } from '#core/inbound/sweep/sweeper-record.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { generic } from '#providers/generic.ts';
import { resolvedSource } from '#test/kit/resolved-source.ts';
import { type FunctionOutcome, MemoryFunction } from './memory/memory-function.ts';
import { MemorySecretValues } from './memory/memory-secrets.ts';
import { MemoryTargets } from './memory/memory-targets.ts';
import { MemoryMapping } from './memory/queue/memory-mapping.ts';
import type { SimulatedProcess } from './memory/simulated-process.ts';
import { RecordedQueue } from './recorded-queue.ts';
import { type Delivery, signedRequest } from './signed-request.ts';
import { type Answer, EVENTS, type WorldOptions as Options, PAYLOADS, type Role } from './world-options.ts';
import { type Command, WorldProcesses } from './world-processes.ts';

export type { Delivery } from './signed-request.ts';
export { type Answer, EVENTS, PAYLOADS, type Role } from './world-options.ts';

export type WorldOptions = Options<MemoryWorld>;
export const EFFECTS = 'effects';
export const SECRET = 'whsec_test_secret_of_the_memory_world';

export class MemoryWorld {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly database: MemoryDatabase;
  readonly main: RecordedQueue;
  readonly dead: RecordedQueue;
  readonly blobs: MemoryBlobs;
  readonly targets: MemoryTargets;
  readonly secretValues = new MemorySecretValues();
  readonly telemetry = new MemoryTelemetry();
  readonly sources: readonly ResolvedSource[];
  readonly timings: Timings;
  readonly ingest: MemoryFunction;
  readonly process: MemoryFunction;
  readonly auditor: MemoryFunction;
  readonly sweeper: MemoryFunction;
  /** A person at the command line: each command is a process of its own. */
  readonly operator: MemoryFunction;
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
  readonly #options: WorldOptions;
  readonly #processes: WorldProcesses;
  #stopSweeping: (() => void) | undefined;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.clock = new VirtualClock();
    this.random = new SeededRandom(options.seed ?? 1);
    this.timings = { ...DEFAULT_TIMINGS, ...options.timings };
    const shared = { clock: this.clock, random: this.random.fork() };
    this.database = new MemoryDatabase({ ...shared, ...options.database });
    this.database.define(eventsTable(EVENTS));
    this.database.define(payloadsTable(PAYLOADS));
    this.database.define({ name: EFFECTS, partition: 'id', indexes: [] });
    if (options.hasRunForHours) this.#haveRunForHours();
    this.dead = new RecordedQueue({ ...shared, retentionSeconds: 14 * 86_400, ...options.deadQueue });
    const redrive = { deadLetterQueue: this.dead, maxReceiveCount: 1_000 };
    this.main = new RecordedQueue({ ...shared, redrive, ...options.queue });
    this.blobs = new MemoryBlobs(this.clock, 97);
    this.targets = new MemoryTargets({ clock: this.clock, ...options.targets });
    this.sources = (options.sources ?? ['default']).map(id => this.#sourceOf(id));
    for (const { id } of this.sources) this.secretValues.set(id, SECRET);
    this.handlers = options.handlers?.(this) ?? transactionalHandlers(this);
    const processes = new WorldProcesses(this, options);
    this.#processes = processes;
    this.ingest = this.#functionOf('ingest', 10_000, it => processes.ingest(it));
    this.process = this.#functionOf('process', this.timings.processTimeoutMs, it => processes.process(it));
    this.sweeper = this.#functionOf('sweep', 60_000, it => processes.sweep(it));
    this.operator = this.#functionOf('operator', 60_000, it => processes.operator(it));
    this.mapping = new MemoryMapping({
      ...shared,
      queue: this.main,
      invoke: sqsEvent => this.process.invoke(sqsEvent),
      maximumConcurrency: options.maximumConcurrency ?? 20,
      ...given({ idleMs: options.idleMs }),
    });
    this.auditor = this.#functionOf('audit', 60_000, it => processes.audit(it));
  }

  /** Sends one signed delivery through the ingest function. */
  async deliver(delivery: Delivery): Promise<Answer> {
    const sent = { ...delivery, createdAt: delivery.createdAt ?? this.clock.now() };
    const outcome = await this.ingest.invoke(this.apiEvent(sent));
    const answer = answerOf(outcome);
    if (answer?.status === 200 && !this.acknowledged.has(delivery.id))
      this.acknowledged.set(delivery.id, this.clock.now());
    await this.#options.onAnswer?.(sent, answer, outcome.kind);
    return answer;
  }

  /** The same, driving the clock until it is answered. */
  post(delivery: Delivery): Promise<Answer> {
    return this.clock.complete(this.deliver(delivery));
  }

  apiEvent(delivery: Delivery): APIGatewayProxyEventV2 {
    return signedRequest(delivery, this.clock.now(), SECRET);
  }

  /** A person's replay; undefined when the command died before it could tell. */
  async replay(id: string, request: ReplayRequest, source = 'default'): Promise<ReplayResult | undefined> {
    const pk = toEventPk(toSourceId(source), id as EventKey);
    return (await this.#command({ kind: 'replay', pk, request })) as ReplayResult | undefined;
  }

  /** A person's closing of a death; undefined when the command died before it could tell. */
  async close(id: string, source = 'default'): Promise<CloseResult | undefined> {
    const pk = toEventPk(toSourceId(source), id as EventKey);
    return (await this.#command({ kind: 'close', pk })) as CloseResult | undefined;
  }

  /** Pauses a source, or ends its pause; false when the command died before it could tell. */
  async pause(source: string, paused: boolean): Promise<boolean> {
    return (await this.#command({ kind: 'pause', source, paused })) !== undefined;
  }

  async #command(command: Command): Promise<unknown> {
    const outcome = await this.operator.invoke(command);
    return outcome.kind === 'returned' && outcome.payload !== undefined ? JSON.parse(outcome.payload) : undefined;
  }

  /** Starts the mapping, the sweeper's minute, and the audit: nightly in production, hourly here. */
  start(): void {
    this.mapping.enable();
    const stops = [
      this.#every(this.#options.sweepEveryMs ?? MINUTE_MS, () => void this.sweeper.invoke({})),
      this.#every(60 * MINUTE_MS, () => void this.auditor.invoke({})),
    ];
    this.#stopSweeping = () => {
      for (const stop of stops) stop();
    };
  }

  #every(ms: number, work: () => void): () => void {
    const tick = (): void => {
      work();
      stop = this.clock.after(ms, tick);
    };
    let stop = this.clock.after(ms, tick);
    return () => stop();
  }

  stop(): void {
    this.mapping.disable();
    this.#stopSweeping?.();
  }

  /** Lets time pass until every record is final and nothing is owed, asking each `stepMs`. False: not within `limitMs`. */
  async settle(limitMs = 48 * HOUR_MS, stepMs = 5 * MINUTE_MS): Promise<boolean> {
    const until = this.clock.now() + limitMs;
    await settle();
    while (this.clock.now() < until) {
      const step = Math.min(until, this.clock.now() + stepMs);
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
    return this.database.peek(EVENTS, `${source}#${id}`) as EventItem | undefined;
  }

  /** How often the transactional effect of an event was applied. */
  effects(id: string): number {
    const row = this.database.dump(EFFECTS).find(it => it['id'] === id);
    return Number(row?.['times'] ?? 0);
  }

  /** As the sweeper notes it of itself. */
  #haveRunForHours(): void {
    const value = JSON.stringify({ unbroken: { since: 0, at: this.clock.now() } } satisfies SweeperRecord);
    const item = { pk: `${CONTROL_PREFIX}sweeper-runs`, value, version: 1 };
    this.database.write({ kind: 'put', table: EVENTS, item });
  }

  #sourceOf(id: string): ResolvedSource {
    const { retry, source } = this.#options;
    return resolvedSource(id, generic, { unhandled: 'dead_letter', ...given({ retry }), ...source });
  }

  #functionOf(
    role: Role,
    timeoutMs: number,
    initialise: (
      process: SimulatedProcess,
    ) => (payload: never, context: { getRemainingTimeInMillis(): number }) => Promise<unknown>,
  ): MemoryFunction {
    const plan = this.#options.planOf?.(role) ?? this.#options.plan;
    const process = this.#options.processOf?.(role) ?? this.#options.process;
    return new MemoryFunction({
      clock: this.clock,
      random: this.random.fork(),
      timeoutMs,
      initialise: process => oneInvocation(initialise(process)),
      ...given({ plan, process }),
    });
  }

  get rules(): ProcessRules & IngestRules {
    return {
      ...given({ logArrivals: this.#options.logArrivals }),
      timings: this.timings,
      retentionDays: 30,
      deadRetentionDays: 90,
      inlineLimitBytes: this.#options.inlineLimitBytes ?? 65_536,
      recordsSpans: this.#options.recordsSpans ?? false,
      sources: new Map<SourceId, ResolvedSource>(this.sources.map(it => [it.id, it])),
    };
  }

  /** The processor's ports as one process sees them; for tests that call the rules directly. */
  processPorts(process: SimulatedProcess): ProcessPorts {
    return this.#processes.processPorts(process);
  }
}

function answerOf(outcome: FunctionOutcome): Answer {
  if (outcome.kind !== 'returned' || outcome.payload === undefined) return undefined;
  const { statusCode, body } = JSON.parse(outcome.payload) as { statusCode: number; body: string };
  return { status: statusCode, body };
}

/** Nothing is owed for the event any more. */
function isSettled(item: EventItem): boolean {
  return (
    isTerminal(item.status) && (item.status !== 'dead_letter' || item.dlqSent === true) && item.watchAt === undefined
  );
}

/** One handler for everything: a transactional effect, and a call to the outside with the idempotency key. */
function transactionalHandlers(world: MemoryWorld): HandlerRegistry {
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
