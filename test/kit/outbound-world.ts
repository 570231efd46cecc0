/**
 * The outbound side over AWS in memory: the real functions, stores with the rules of DynamoDB, queues with those of SQS,
 * processes that can die at every call, a clock that moves only when told to, and receivers that do as they are told.
 */
import type { SQSRecord } from 'aws-lambda';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import type { Item } from '#adapters/memory/item-rules.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { type DatabaseChange, MemoryDatabase, type MemoryDatabaseOptions } from '#adapters/memory/memory-database.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededIds, SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import { newEndpointOf } from '#core/outbound/api/endpoint-body.ts';
import { drainBatch } from '#core/outbound/drain/drain-batch.ts';
import type { DrainPorts, DrainRules } from '#core/outbound/drain/drain-ports.ts';
import { configsOf, egressGuard } from '#core/outbound/drain/endpoint-config.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { fanOut } from '#core/outbound/fan-out/fan-out.ts';
import { fanOutNow } from '#core/outbound/fan-out/fan-out-now.ts';
import { rowNotes } from '#core/outbound/fan-out/note-rows.ts';
import type { Answer, ItemStore, Job, JobQueue, OutgoingRequest, WebhookSender } from '#core/outbound/ports.ts';
import { TEND } from '#core/outbound/protocol/control-writes.ts';
import type { AppId, EndpointId, JobId, MessageId } from '#core/outbound/protocol/ids.ts';
import {
  type ControlItem,
  contentTypeOf,
  type EndpointItem,
  type MessageItem,
  type RecordItem,
  type ReplayJobItem,
  type RowItem,
  type RuntimeItem,
} from '#core/outbound/protocol/items.ts';
import { APPS, applicationKey, LISTED, recordKey, runtimeKey } from '#core/outbound/protocol/keys.ts';
import { OUTBOUND_TIMINGS, type OutboundTimings } from '#core/outbound/protocol/timings.ts';
import { type Publication, type Published, type PublishPorts, publish } from '#core/outbound/publish/publish.ts';
import { parseJob } from '#core/outbound/publish/queue-messages.ts';
import { createApplication, type NewApplication } from '#core/outbound/registry/applications.ts';
import { createEndpoint, type NewEndpoint, newEndpointId } from '#core/outbound/registry/endpoints.ts';
import { runReplayJob } from '#core/outbound/replay/replay-job.ts';
import type { SignAttempt } from '#core/outbound/sign/attempt-to-sign.ts';
import { AT_LEAST } from '#core/outbound/tend/egress.ts';
import { finishedJob, publishOperational } from '#core/outbound/tend/operational-events.ts';
import { type TendPorts, tend } from '#core/outbound/tend/tend.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { GAP_MS } from '#core/unbroken.ts';
import type { FaultPlan } from './memory/faults.ts';
import { MemoryFunction } from './memory/memory-function.ts';
import { MemoryItemStore, outboundTable } from './memory/memory-item-store.ts';
import { MemoryMapping } from './memory/queue/memory-mapping.ts';
import { MemoryJobQueue, MemoryWakeQueue } from './memory/queue/memory-outbound-queues.ts';
import { MemoryQueue, type MemoryQueueOptions } from './memory/queue/memory-queue.ts';
import { MemoryDeadQueue, MemoryReceiptBox } from './memory/queue/memory-queue-ports.ts';
import { type ProcessOutcome, SimulatedProcess, type SimulatedProcessOptions } from './memory/simulated-process.ts';

export type OutboundRole = 'publish' | 'fan-out' | 'drain-fast' | 'drain-slow' | 'tend' | 'people';

/** Long polling: a mapping looks as soon as a message can be received. */
function nudge(queue: MemoryQueue, mapping: MemoryMapping, clock: VirtualClock): void {
  const send = queue.send.bind(queue);
  let pending = false;
  const look = (): void => {
    pending = false;
    mapping.disable();
    mapping.enable();
  };
  queue.send = (body, options = {}) => {
    const delayMs = (options.delaySeconds ?? 0) * 1_000;
    if (delayMs > 0) clock.after(delayMs + 20, look);
    else if (!pending) {
      pending = true;
      clock.after(20, look);
    }
    return send(body, options);
  };
}

/** A request as its receiver saw it. */
export interface Received {
  readonly url: string;
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly startedAt: number;
  endedAt: number | undefined;
  answer: Answer | undefined;
}
/** Told each request; answers at once or later. */
export type Receiver = (request: Received) => Answer | Promise<Answer>;

export interface OutboundWorldOptions {
  readonly seed?: number;
  readonly waits?: readonly number[];
  readonly timings?: OutboundTimings;
  readonly retentionMs?: number;
  readonly autoDisableDays?: number | false;
  readonly breaker?: Pick<DrainRules, 'opensAt' | 'disableAt' | 'hold'>;
  readonly planOf?: (role: OutboundRole) => FaultPlan | undefined;
  readonly processOf?: (role: OutboundRole) => Omit<SimulatedProcessOptions, 'clock' | 'plan'>;
  readonly onChange?: (change: DatabaseChange) => void;
  readonly onRequest?: (request: Received) => void;
  readonly onAnswer?: (request: Received) => void;
  readonly idleMs?: number;
  readonly slots?: { readonly fast: number; readonly slow: number };
  readonly duplicateRate?: number;
  readonly attemptLog?: 'failures' | 'all';
  readonly telemetry?: MemoryTelemetry;
  /** Waits are as long as the schedule says. Default false: up to 20 % shorter or longer. */
  readonly steady?: boolean;
  /** Messages are met at once, not at the next poll. Default false. */
  readonly longPolling?: boolean;
  /** Default true: `requests` holds every request. */
  readonly keepRequests?: boolean;
  /** Stores of the caller's own: they count what is billed. */
  readonly makeDatabase?: (given: MemoryDatabaseOptions) => MemoryDatabase;
  readonly makeQueue?: (given: MemoryQueueOptions, isFair: boolean) => MemoryQueue;
  /** Whether publish puts rows itself, or sends a job. */
  readonly publishes?: 'by turns' | 'direct' | 'job';
  readonly auditMinutes?: number;
  readonly pageUrl?: string;
  /** The store as a function meets it. */
  readonly watchStore?: (role: OutboundRole, store: ItemStore) => ItemStore;
}

const text = new TextEncoder();

export const answered = (
  status: number,
  headers: Readonly<Record<string, readonly string[]>> = {},
  body = '',
): Answer => ({
  kind: 'answered',
  status,
  headers,
  body: text.encode(body),
  bytes: body.length,
  truncated: false,
  timings: { total: 1 },
});
export const noAnswer = (cause: Extract<Answer, { kind: 'failed' }>['cause']): Answer => ({
  kind: 'failed',
  cause,
  detail: cause,
  timings: { total: 1 },
});

/** The headers a receiver needs to tell requests apart; the real signatures have suites of their own. */
export const plainSigner: SignAttempt = ({ id, n, message }) => ({
  headers: { 'content-type': contentTypeOf(message), 'webhook-id': id, 'x-webhook-attempt': String(n) },
  kid: 'k1',
});

export class OutboundWorld {
  readonly clock = new VirtualClock();
  readonly random: SeededRandom;
  readonly database: MemoryDatabase;
  readonly telemetry: MemoryTelemetry;
  readonly store: ItemStore;
  readonly jobs: MemoryQueue;
  readonly fast: MemoryQueue;
  readonly slow: MemoryQueue;
  readonly dead: MemoryQueue;
  readonly requests: Received[] = [];
  readonly receivers = new Map<string, Receiver>();
  readonly functions: Readonly<Record<'fan-out' | 'drain-fast' | 'drain-slow', MemoryFunction>>;
  readonly mappings: readonly MemoryMapping[];
  readonly rules: { readonly retentionMs: number };
  /** Endpoints that were created, by id. */
  readonly endpoints = new Map<EndpointId, EndpointItem>();
  readonly #options: OutboundWorldOptions;
  readonly blobs: MemoryBlobs;
  readonly #timings: OutboundTimings;
  #stopTending: () => void = () => {};
  /** Each minute, or without the minutes in which it would change nothing: for days in which little happens. */
  tending: boolean | 'unless idle' = true;
  #publishes = 0;

  constructor(options: OutboundWorldOptions = {}) {
    const { seed = 1, retentionMs = 30 * DAY_MS, duplicateRate = 0, timings = OUTBOUND_TIMINGS } = options;
    this.#options = options;
    this.#timings = timings;
    this.random = new SeededRandom(seed);
    this.rules = { retentionMs, ...given({ pageUrl: options.pageUrl }) };
    this.telemetry = options.telemetry ?? new MemoryTelemetry();
    this.blobs = new MemoryBlobs(this.clock);
    const settings = { clock: this.clock, random: this.random.fork() };
    const { makeDatabase = given => new MemoryDatabase(given), makeQueue = given => new MemoryQueue(given) } = options;
    this.database = makeDatabase({ ...settings, ...given({ onChange: options.onChange }) });
    this.database.define(outboundTable('registry'));
    this.database.define(outboundTable('outbox'));
    this.store = new MemoryItemStore(this.database);
    this.dead = new MemoryQueue({ ...settings, duplicateRate: 0 });
    const queue = (visibilitySeconds: number, maxReceiveCount: number, isFair = false) =>
      makeQueue(
        {
          ...settings,
          random: this.random.fork(),
          visibilitySeconds,
          duplicateRate,
          redrive: { deadLetterQueue: this.dead, maxReceiveCount },
        },
        isFair,
      );
    this.jobs = queue(timings.jobsVisibilityMs / 1_000, 500, true);
    this.fast = queue(timings.wakeVisibilityMs / 1_000, 1_000);
    this.slow = queue(timings.wakeVisibilityMs / 1_000, 1_000);
    this.functions = {
      'fan-out': this.#function('fan-out', timings.fanOutTimeoutMs, process => this.#fanOutHandler(process)),
      'drain-fast': this.#function('drain-fast', timings.drainTimeoutMs, process =>
        this.#drainHandler(process, 'fast'),
      ),
      'drain-slow': this.#function('drain-slow', timings.drainTimeoutMs, process =>
        this.#drainHandler(process, 'slow'),
      ),
    };
    const { slots = { fast: 150, slow: 50 } } = options;
    this.mappings = [
      this.#mapping(this.jobs, 'fan-out', 20),
      this.#mapping(this.fast, 'drain-fast', slots.fast),
      this.#mapping(this.slow, 'drain-slow', slots.slow),
    ];
    if (options.longPolling) {
      for (const [at, queue] of [this.jobs, this.fast, this.slow].entries()) {
        nudge(queue, this.mappings[at] as MemoryMapping, this.clock);
      }
    }
  }

  start(): void {
    for (const mapping of this.mappings) mapping.enable();
    const every = (): void => {
      this.#stopTending = this.clock.after(MINUTE_MS, () => {
        if (this.tending === true || (this.tending && !this.tendIsIdle())) void this.tend();
        every();
      });
    };
    every();
  }

  stop(): void {
    for (const mapping of this.mappings) mapping.disable();
    this.#stopTending();
  }

  // ---- what people and producers do; each call in a process of its own

  async createApplication(given: Partial<NewApplication> = {}): Promise<AppId> {
    const wanted = { name: 'acme', metadata: {}, limits: { endpoints: 10_000 }, format: 'standard', ...given } as const;
    const made = await createApplication(this.#registry(), wanted);
    if (made.kind !== 'created') throw new Error('the application was not created');
    return made.application.id;
  }

  /** An endpoint with a receiver of its own. */
  async createEndpoint(app: AppId, receiver: Receiver, given: Partial<NewEndpoint> = {}): Promise<EndpointId> {
    const ports = this.#registry();
    const application = await this.store.get({ table: 'registry', pk: `A#${app}`, sk: 'META' }, 'consistent');
    const id = newEndpointId(ports);
    const url = `https://${id}.example.com/in`;
    const endpoint: NewEndpoint = { ...newEndpointOf({ url }, { timeoutMs: 15_000 }, []), ...given };
    const keys = [{ kid: 'k1', alg: 'sha256', sealed: 'sealed', createdAt: this.clock.now() }] as const;
    const made = await createEndpoint(ports, application as never, endpoint, { id, keys });
    if (made.kind !== 'done') throw new Error(`the endpoint was not created: ${made.cause}`);
    this.receivers.set(endpoint.url, receiver);
    this.endpoints.set(id, made.endpoint);
    return id;
  }

  /** One try of a producer: what it heard, or undefined when it heard nothing (its call failed or died). */
  async publishOnce(publication: Publication, to?: 'broadcast'): Promise<Published | undefined> {
    const process = this.process('publish');
    const ended = await process.run(async () => {
      const ports = this.publishPorts(process);
      if (to === 'broadcast') {
        const walks = (all: readonly Job[]) =>
          all.map(job => ('msg' in job ? { v: 1, walk: job.msg, ...given({ again: job.again }) } : job) as Job);
        const jobs: JobQueue = { send: (all, group) => ports.jobs.send(walks(all), group) };
        const { fanOutNow: _, ...rest } = ports;
        return publish({ ...rest, jobs }, this.rules, publication);
      }
      // As the API does: the application is read for the request, and without it only the job fans out.
      const read = this.#isDirect() ? await ports.store.get(applicationKey(publication.app), 'consistent') : undefined;
      return publish(ports, this.rules, publication, read);
    });
    return heardFrom(ended);
  }

  /** A producer repeats until it hears something. */
  async publish(app: AppId, key: string, given: Partial<Publication> = {}, to?: 'broadcast'): Promise<Published> {
    const content = { kind: 'data', json: text.encode('{"amount":1}') } as const;
    for (let tries = 0; tries < 50; tries++) {
      const heard = await this.publishOnce({ app, key, type: 'invoice.paid', content, ...given }, to);
      if (heard) return heard;
      await this.clock.sleep(5_000);
    }
    throw new Error('the producer never heard an answer');
  }

  /** Runs a person's command, with the ports of a process; undefined when it heard nothing. */
  async act<T>(command: (ports: ReturnType<OutboundWorld['peoplePorts']>) => Promise<T>): Promise<T | undefined> {
    const process = this.process('people');
    return heardFrom(await process.run(() => command(this.peoplePorts(process))));
  }

  /** Repeats it until it is answered. */
  async insist<T>(command: (ports: ReturnType<OutboundWorld['peoplePorts']>) => Promise<T>): Promise<T> {
    for (let tries = 0; tries < 50; tries++) {
      const heard = await this.act(command);
      if (heard !== undefined) return heard;
      await this.clock.sleep(5_000);
    }
    throw new Error('a person never heard an answer');
  }

  peoplePorts(process: SimulatedProcess) {
    return {
      ...this.#common(process, 'people'),
      wake: process.wrap('wake', 'sqs', new MemoryWakeQueue(this.fast)),
      ids: new SeededIds(this.random.fork()),
    };
  }

  async tend(): Promise<void> {
    const process = this.process('tend');
    const common = this.#common(process, 'tend');
    const ports: TendPorts = {
      ...common,
      endpoints: endpointsOf(common.store),
      jobs: process.wrap('jobs', 'sqs', new MemoryJobQueue(this.jobs)),
      wake: process.wrap('wake', 'sqs', new MemoryWakeQueue(this.fast)),
      slow: process.wrap('slow', 'sqs', new MemoryWakeQueue(this.slow)),
      ids: new SeededIds(this.random.fork()),
    };
    const { auditMinutes = 10 } = this.#options;
    heardFrom(await process.run(() => tend(ports, { ...this.rules, auditMinutes })));
  }

  /**
   * A run of `tend` now would write its own lease and nothing else: nothing is due, listed or under way, and it stays
   * unbroken until the next minute (test/core/outbound/tend/idle-minutes.test.ts compares).
   */
  tendIsIdle(): boolean {
    const { pk, sk } = TEND;
    const item = this.database.get('registry', { pk, sk }) as unknown as ControlItem | undefined;
    const { auditedAt, auditPlace, reconciledAt, reconcilePlace, unbroken } = JSON.parse(item?.value ?? '{}');
    if (item?.owner !== undefined || (auditPlace ?? reconcilePlace) !== undefined) return false;
    const now = this.clock.now();
    const { auditMinutes = 10 } = this.#options;
    const untilDue = [auditedAt + auditMinutes * MINUTE_MS, reconciledAt + HOUR_MS, unbroken?.at + GAP_MS];
    const listed = this.database.scanIndex('registry', LISTED.name, AT_LEAST);
    const waits = ({ gpk, gsk }: Item): boolean =>
      gpk === APPS || (String(gpk).startsWith('wake#') && Number(String(gsk).slice(0, 13)) > now + MINUTE_MS);
    return untilDue.every(at => at > now) && listed?.every(waits) === true;
  }

  publishPorts(process: SimulatedProcess): PublishPorts & { readonly store: ItemStore } {
    const jobs = process.wrap('jobs', 'sqs', new MemoryJobQueue(this.jobs));
    const common = this.#common(process, 'publish');
    const wake = process.wrap('wake', 'sqs', new MemoryWakeQueue(this.fast));
    const direct = { ...common, endpoints: endpointsOf(common.store), wake };
    return { ...common, jobs, fanOutNow: published => fanOutNow(direct, this.rules, published) };
  }

  /** By turns, the job first. */
  #isDirect(): boolean {
    const { publishes = 'by turns' } = this.#options;
    this.#publishes += 1;
    return publishes === 'by turns' ? this.#publishes % 2 === 0 : publishes === 'direct';
  }

  process(role: OutboundRole): SimulatedProcess {
    const plan = this.#options.planOf?.(role);
    return new SimulatedProcess({ clock: this.clock, ...given({ plan }), ...this.#options.processOf?.(role) });
  }

  // ---- what oracles look at

  items<T>(table: 'registry' | 'outbox', prefix: string): (T & { pk: string; sk: string })[] {
    return this.database.dump(table).filter(item => String(item['pk']).startsWith(prefix)) as never;
  }
  rows(ep: EndpointId): (RowItem & { pk: string; sk: string })[] {
    return this.items<RowItem>('outbox', `Q#${ep}`);
  }
  record(ep: EndpointId, message: Pick<MessageItem, 'id' | 'createdAt'>): RecordItem | undefined {
    const { pk, sk } = recordKey({ ep, msg: message.id, createdAt: message.createdAt });
    return this.database.get('outbox', { pk, sk }) as RecordItem | undefined;
  }
  runtime(ep: EndpointId): RuntimeItem {
    const { pk, sk } = runtimeKey(ep);
    return this.database.get('registry', { pk, sk }) as unknown as RuntimeItem;
  }
  message(id: MessageId): MessageItem {
    return this.database.get('outbox', { pk: `M#${id}`, sk: 'META' }) as unknown as MessageItem;
  }
  requestsTo(ep: EndpointId): readonly Received[] {
    const url = this.endpoints.get(ep)?.url;
    return this.requests.filter(request => request.url === url);
  }
  /** Nothing in a queue, in any state, nobody at work. */
  isQuiet(): boolean {
    const queued = this.jobs.dump().length + this.fast.dump().length + this.slow.dump().length;
    return queued === 0 && Object.values(this.functions).every(({ running }) => running === 0);
  }
  /** Lets time pass until something is so. */
  async until(condition: () => boolean, limitMs: number, stepMs = 5_000): Promise<boolean> {
    const end = this.clock.now() + limitMs;
    while (!condition() && this.clock.now() < end) await this.clock.advanceBy(stepMs);
    return condition();
  }

  // ---- the functions

  #registry() {
    return { store: this.store, clock: this.clock, ids: new SeededIds(this.random.fork()) };
  }

  #common(process: SimulatedProcess, role: OutboundRole) {
    const { watchStore = (_, store) => store } = this.#options;
    const store = process.wrap('store', 'dynamodb', watchStore(role, this.store));
    return {
      store,
      noteRows: rowNotes(store, this.clock),
      blobs: process.wrap('blobs', 's3', this.blobs),
      codec: nodeCodec,
      crypto: nodeCrypto,
      clock: this.clock,
      telemetry: this.telemetry,
    };
  }

  #function(
    role: 'fan-out' | 'drain-fast' | 'drain-slow',
    timeoutMs: number,
    initialise: (process: SimulatedProcess) => (event: { Records: SQSRecord[] }) => Promise<unknown>,
  ): MemoryFunction {
    const plan = this.#options.planOf?.(role);
    const own = this.#options.processOf?.(role);
    return new MemoryFunction({
      clock: this.clock,
      random: this.random.fork(),
      timeoutMs,
      initialise: process => oneInvocation(initialise(process)) as never,
      ...given({ plan, process: own }),
    });
  }

  #mapping(queue: MemoryQueue, role: keyof OutboundWorld['functions'], maximumConcurrency: number): MemoryMapping {
    return new MemoryMapping({
      clock: this.clock,
      random: this.random.fork(),
      queue,
      maximumConcurrency,
      idleMs: this.#options.idleMs ?? 1_000,
      deleteFailureRate: 0,
      invoke: event => this.functions[role].invoke(event),
    });
  }

  #fanOutHandler(process: SimulatedProcess) {
    const common = this.#common(process, 'fan-out');
    const jobs = process.wrap('jobs', 'sqs', new MemoryJobQueue(this.jobs));
    const ports = {
      ...common,
      jobs,
      endpoints: endpointsOf(common.store),
      wake: process.wrap('wake', 'sqs', new MemoryWakeQueue(this.fast)),
      publishOperational: (op: Extract<Job, { op: unknown }>['op']) =>
        publishOperational({ ...common, jobs }, this.rules, op),
      runReplay: (job: JobId) => {
        const wake = process.wrap('wake', 'sqs', new MemoryWakeQueue(this.fast));
        const ids = new SeededIds(this.random.fork());
        const tell = (done: ReplayJobItem) => publishOperational({ ...common, jobs }, this.rules, finishedJob(done));
        return runReplayJob({ ...common, wake, ids }, this.rules, job, tell);
      },
    };
    return async ({ Records }: { Records: SQSRecord[] }) => {
      const batch = Records.flatMap(({ messageId: id, body }) => {
        const job = parseJob(body);
        return job ? [{ id, job }] : [];
      });
      const failed = await fanOut(ports, this.rules, batch);
      return { batchItemFailures: [...failed.keys()].map(itemIdentifier => ({ itemIdentifier })) };
    };
  }

  #drainHandler(process: SimulatedProcess, lane: 'fast' | 'slow') {
    const { waits = [5, 60], autoDisableDays = 5, attemptLog = 'failures' } = this.#options;
    const common = this.#common(process, `drain-${lane}`);
    const sealer = { open: () => new Uint8Array(32) };
    const ports: DrainPorts = {
      ...common,
      slow: process.wrap('slow', 'sqs', new MemoryWakeQueue(this.slow)),
      jobs: process.wrap('jobs', 'sqs', new MemoryJobQueue(this.jobs)),
      sender: this.#sender(process),
      sign: plainSigner,
      sealer,
      ids: new SeededIds(this.random.fork()),
      random: this.#options.steady ? { next: () => 0.5 } : this.random.fork(),
      timer: process.timer,
      dead: process.wrap('dead', 'sqs', new MemoryDeadQueue(this.dead)),
      receipts: process.wrap('receipts', 'sqs', new MemoryReceiptBox(lane === 'fast' ? this.fast : this.slow), {
        neverThrows: ['hide'],
      }),
    };
    const rules: DrainRules = {
      lane,
      timings: this.#timings,
      retentionMs: this.rules.retentionMs,
      waits,
      hold: { baseSeconds: 30, capSeconds: 900 },
      autoDisableDays,
      attemptLog,
      ...this.#options.breaker,
    };
    const tools = { ports, rules, configOf: configsOf(ports), guardOn: egressGuard(ports) };
    return async ({ Records }: { Records: SQSRecord[] }) => {
      const now = this.clock.now();
      const invocation = { startedAt: now, deadline: now + this.#timings.drainTimeoutMs, held: { bytes: 0 } };
      const messages = Records.map(({ messageId: id, body, receiptHandle: receipt }) => ({ id, body, receipt }));
      const failed = await drainBatch(tools, messages, invocation);
      return { batchItemFailures: failed.map(itemIdentifier => ({ itemIdentifier })) };
    };
  }

  /** Requests of a process: what goes wrong on the way is an answer, as the real sender has it. */
  #sender(process: SimulatedProcess): WebhookSender {
    const exchange = { send: (request: OutgoingRequest) => this.#receive(request) };
    const guarded = process.wrap('http', 'http', exchange);
    return {
      open: () => ({
        send: async request => {
          try {
            return await guarded.send(request);
          } catch (error) {
            if (!(error instanceof DependencyError)) throw error;
            return noAnswer(error.message.includes('no answer') ? 'timeout' : 'reset');
          }
        },
        close: () => {},
      }),
    };
  }

  async #receive(request: OutgoingRequest): Promise<Answer> {
    const received: Received = {
      url: request.url,
      id: request.headers['webhook-id'] ?? '',
      headers: request.headers,
      body: request.body,
      startedAt: this.clock.now(),
      endedAt: undefined,
      answer: undefined,
    };
    if (this.#options.keepRequests !== false) this.requests.push(received);
    this.#options.onRequest?.(received);
    const receiver = this.receivers.get(request.url);
    const late = this.clock.sleep(request.deadlineMs).then(() => noAnswer('timeout'));
    const answer = receiver ? await Promise.race([receiver(received), late]) : noAnswer('dns');
    received.endedAt = this.clock.now();
    received.answer = answer;
    this.#options.onAnswer?.(received);
    return answer;
  }
}

/** What a process answered; undefined when it died or a dependency failed. Any other error is a fault of ours. */
function heardFrom<T>(ended: ProcessOutcome<T>): T | undefined {
  if (ended.kind === 'threw' && !(ended.error instanceof DependencyError)) throw ended.error;
  return ended.kind === 'returned' ? ended.value : undefined;
}
