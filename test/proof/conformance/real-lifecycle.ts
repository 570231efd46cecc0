/**
 * The real code around one event: the tables of adapters/memory, both queues as bags (the model's queues have no order
 * and no delays), and processes that stand still between two steps. Seen through `record()` and `copies()`, it must be
 * what the model says it is.
 */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededIds, SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { systemAddresses } from '#adapters/system.ts';
import type { EventUpdate, TransactResult, WriteResult } from '#core/inbound/ports.ts';
import type { ProcessPorts } from '#core/inbound/process/process-ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { FAR } from '#core/inbound/protocol/event-writes.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { decodeWorkMessage } from '#core/inbound/protocol/work-message.ts';
import type { EffectWrite, Timer } from '#core/ports.ts';
import { Breaker, type Permission } from '#core/retry/breaker.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { type DlqTag, GONE, type LifeRecord, NOBODY, type Tag } from '#test/proof/model/lifecycle/lifecycle-state.ts';
import type { SteppedProcess } from './stepped-process.ts';
import { EFFECTS, EVENTS, PAYLOADS, PK, WAIT_MS } from './walk-rules.ts';

/** What the model says of a record, without what only the model knows. */
export type SeenRecord = Omit<LifeRecord, 'successorSent'>;

/** How the handler ends its attempt. */
export type Ending = 'done' | 'reject' | 'stale' | 'defer' | 'retry soon' | 'retry later' | 'permanent';

/** A deliberate bug: what becomes of a write, or of a message (undefined: it is never sent). */
export interface Bug {
  update?(update: EventUpdate): EventUpdate;
  message?(body: string): string | undefined;
}

const timer: Timer = {
  sleep: () => Promise.resolve(),
  limit: async (_ms, work) => ({ kind: 'finished', value: await work(new AbortController().signal) }),
};

/** The table, with a deliberate bug in what is written to it. */
class BuggyStore extends MemoryEventStore {
  readonly #bug: Bug;

  constructor(database: MemoryDatabase, bug: Bug) {
    super(database, EVENTS);
    this.#bug = bug;
  }

  override update(update: EventUpdate): Promise<WriteResult> {
    return super.update(this.#bug.update?.(update) ?? update);
  }

  override transact(update: EventUpdate, effects: readonly EffectWrite[], token: string): Promise<TransactResult> {
    return super.transact(this.#bug.update?.(update) ?? update, effects, token);
  }
}

class TestBreaker extends Breaker {
  readonly #permission: Permission;

  constructor(permission: Permission) {
    super();
    this.#permission = permission;
  }

  override ask(): Permission {
    return this.#permission;
  }

  /** What an attempt costs is the question of another model (patience-model.ts); here a failure is one. */
  override backAt(): undefined {}
}

/** A consumer's message and, while it works on it, its process. */
export interface RealConsumer {
  readonly body: string;
  holds: boolean;
  process?: SteppedProcess | undefined;
  claimId?: string | undefined;
  /** SQS says that nobody had the message before. */
  isFirstReceive?: boolean;
  /** How its handler ended a run without a claim, which the claim that follows has yet to record. */
  endedAs?: Ending | undefined;
}

export class RealLifecycle {
  readonly clock = new VirtualClock();
  readonly random: SeededRandom;
  /** What each message says. The same ones are looked at after every step. */
  readonly #decoded = new Map<string, ReturnType<typeof decodeWorkMessage>>();
  readonly database: MemoryDatabase;
  readonly store: MemoryEventStore;
  readonly consumers: (RealConsumer | undefined)[] = [undefined, undefined];
  readonly sweeps: (SteppedProcess | undefined)[] = [undefined, undefined];
  readonly operators: (SteppedProcess | undefined)[] = [undefined, undefined];
  request: SteppedProcess | undefined;
  /** What a person who is about to close a death has read. */
  closing: EventItem | undefined;
  queue: string[] = [];
  dead: string[] = [];
  paused = false;
  /** How the next handler that is let go ends its attempt. */
  ending: Ending = 'done';
  readonly createdAt: number;
  /** The handler is registered so: first deliveries may run without a claim. */
  readonly onlyTransacts: boolean;
  readonly #bug: Bug;
  readonly #telemetry = new MemoryTelemetry();

  constructor(seed: number, bug: Bug = {}, onlyTransacts = false) {
    this.onlyTransacts = onlyTransacts;
    this.random = new SeededRandom(seed);
    this.#bug = bug;
    this.createdAt = this.clock.now();
    this.database = new MemoryDatabase({ clock: this.clock, random: this.random.fork() });
    this.database.define(eventsTable(EVENTS));
    this.database.define(payloadsTable(PAYLOADS));
    this.database.define({ name: EFFECTS, partition: 'id', indexes: [] });
    this.store = new BuggyStore(this.database, bug);
  }

  /** The ports of one process; it stands still before each write of the state item and each send. */
  ports(process: SteppedProcess) {
    const send = async (to: string[], body: string): Promise<void> => {
      const sent = this.#bug.message ? this.#bug.message(body) : body;
      if (sent !== undefined) to.push(sent);
    };
    const queue = { send: (body: string) => send(this.queue, body) };
    const dead = {
      send: (body: string) => send(this.dead, body),
      receive: async () => [],
      delete: async () => {},
    };
    const nothing = { visible: 0, hidden: 0, delayed: 0 };
    return {
      store: process.wrap('store', this.store, ['insert', 'update', 'transact']),
      payloads: new MemoryPayloadStore(this.database, PAYLOADS),
      control: new MemoryControlStore(this.database, EVENTS),
      blobs: new MemoryBlobs(this.clock),
      queue: process.wrap('queue', queue, ['send']),
      dead: process.wrap('dead', dead, ['send']),
      gauge: { main: async () => nothing, dead: async () => nothing },
      receipts: { hide: async () => {} },
      crypto: nodeCrypto,
      codec: nodeCodec,
      addresses: systemAddresses,
      clock: this.clock,
      ids: new SeededIds(this.random.fork()),
      random: this.random,
      timer,
      telemetry: this.#telemetry,
    };
  }

  processPorts(process: SteppedProcess, handlers: ProcessPorts['handlers'], breakerOpen: boolean): ProcessPorts {
    const open: Permission = { kind: 'park', untilMs: this.clock.now() + WAIT_MS };
    return {
      ...this.ports(process),
      pauses: { isPaused: async () => this.paused },
      breaker: new TestBreaker(breakerOpen ? open : { kind: 'run' }),
      handlers,
    };
  }

  /** No two writes happen in the same millisecond. */
  tick(): Promise<void> {
    return this.clock.advanceBy(1);
  }

  item(): EventItem | undefined {
    const item = this.database.get(EVENTS, { pk: PK });
    return item && parseEventItem(item);
  }

  /** The record as the model would describe it. */
  record(item = this.item()): SeenRecord | undefined {
    if (!item) return undefined;
    const now = this.clock.now();
    const due = item.nextAttemptAt;
    return {
      status: statusOf(item),
      enqueued: item.enqueuedAt !== undefined,
      attempts: item.attempts,
      owner: this.#ownerOf(item),
      leased: item.status === 'processing' && (item.leaseUntil ?? 0) >= now,
      due: due === undefined ? 'none' : due > now ? 'ahead' : 'reached',
      parked: item.parked === true,
      watch: watchOf(item),
      dlqSent: item.dlqSent === true,
      expires: item.expiresAt !== undefined,
      resends: item.resends,
      effects: Number(this.database.get(EFFECTS, { id: `gen ${item.gen}` })?.['times'] ?? 0),
    };
  }

  #ownerOf(item: EventItem): number {
    if (item.owner === undefined) return NOBODY;
    const owner = this.consumers.findIndex(it => it?.claimId === item.owner);
    return owner < 0 ? GONE : owner;
  }

  /** Whether a consumer's message is the one that ingest sent, and no later copy. */
  holdsFirstCopy(consumer: number): boolean {
    const decoded = decodeWorkMessage(this.consumers[consumer]?.body ?? '');
    return decoded.kind === 'message' && decoded.message.again !== true;
  }

  tagOf(body: string, item = this.item()): Tag {
    const place = this.#placeOf(body, item);
    return place === 'earlierDeath' ? 'current' : place === 'thisDeath' ? 'redriven' : place;
  }

  deadTagOf(body: string, item = this.item()): DlqTag {
    const place = this.#placeOf(body, item);
    return place === 'thisDeath' ? 'current' : place === 'current' ? 'earlierDeath' : place;
  }

  #placeOf(body: string, item: EventItem | undefined): 'older' | 'thisDeath' | 'earlierDeath' | 'current' {
    const decoded = this.#decoded.get(body) ?? decodeWorkMessage(body);
    this.#decoded.set(body, decoded);
    if (decoded.kind === 'unknown') throw new Error(`The code sent a message it cannot read itself: ${decoded.reason}`);
    const { gen, deadId } = decoded.message;
    if (item && gen < item.gen) return 'older';
    if (deadId === undefined) return 'current';
    return deadId === item?.deadId ? 'thisDeath' : 'earlierDeath';
  }

  /** Takes one of the messages with this tag, at random. */
  take<T extends Tag | DlqTag>(
    from: string[],
    tag: T,
    tagOf: (body: string, item: EventItem | undefined) => T,
    rather?: string,
  ): string {
    const item = this.item();
    const found = from.flatMap((body, at) => (tagOf(body, item) === tag ? [at] : []));
    const same = found.find(at => from[at] === rather);
    const at = same ?? found[this.random.int(found.length)];
    if (at === undefined) throw new Error(`there is no message with the tag ${tag}`);
    return from.splice(at, 1)[0] as string;
  }
}

function statusOf(item: EventItem): LifeRecord['status'] {
  switch (item.status) {
    case 'pending':
    case 'processing':
    case 'failed':
    case 'deferred':
      return item.status;
    case 'dead_letter':
      return 'dead';
    case 'closed':
      return 'closed';
    case 'completed':
    case 'skipped_stale':
    case 'rejected':
    case 'ignored':
      return 'completed';
    case 'unknown':
      throw new Error(`the writes left a record of no known form: ${JSON.stringify(item)}`);
  }
}

function isFreshArrival({ gen, status }: EventItem): boolean {
  return gen === 1 && (status === 'pending' || status === 'processing');
}

function watchOf(item: EventItem): LifeRecord['watch'] {
  // An arrival that the sweeper has not passed counts as watched; only what was never watched is one.
  if (item.watchAt === undefined) return isFreshArrival(item) ? 'near' : 'none';
  return item.watchAt === FAR ? 'far' : 'near';
}
