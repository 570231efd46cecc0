import { env } from 'node:process';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededIds, SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { systemTimer } from '#adapters/system.ts';
import { type EventPk, type EventStatus, eventIdToPk } from '#core/glossary.ts';
import { defineHandlers, type Handler, type Outcome, type WebhookEvent } from '#core/handler/handler-contract.ts';
import { processEvent } from '#core/inbound/process/process-event.ts';
import type { ProcessPorts, ProcessRules } from '#core/inbound/process/process-ports.ts';
import type { EventIn } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { expiryAfter, pendingItem } from '#core/inbound/protocol/event-writes.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import { encodeWorkMessage, referenceTo } from '#core/inbound/protocol/work-message.ts';
import type { EffectWrite } from '#core/ports.ts';
import { DEFAULT_RETRY, type RetryProfile } from '#core/retry/backoff.ts';
import { Breaker } from '#core/retry/breaker.ts';
import { toHex } from '#core/scan/bytes.ts';
import { readPlaces } from './read-places.ts';
import { type TestTable, TestTables } from './test-tables.ts';

/** Options of `runHandler`. Times are in milliseconds. */
export interface RunOptions {
  /** @default the product's: 15 attempts, base 2 s, cap 6 h. The waits take no real time. */
  readonly retry?: RetryProfile;
  /** Stops after the handler ran this often, whether the event is finished or not. @default 100 */
  readonly maxRuns?: number;
  /** Real milliseconds one run may take. @default 28,000, as in production */
  readonly timeLimitMs?: number;
  /** Tables that the handler puts items into, by the name it uses. Those it only updates or deletes from may be left out. */
  readonly tables?: Readonly<Record<string, TestTable>>;
  /** Environment variables to set while the handler runs. @default none */
  readonly env?: Readonly<Record<string, string>>;
}

/** One run of the handler. */
export interface TestAttempt {
  /** The number that the handler saw, from 1. A deferred attempt is given back, so the next one has the same number. */
  readonly number: number;
  /** What the handler returned; undefined if it threw or did not finish. */
  readonly outcome: Outcome | undefined;
  /** What the handler threw; undefined if it returned. */
  readonly error: unknown;
  /** What the record says about this attempt: `ok`, `handler_error`, `timeout`, `permanent`, `effect_refused`, `deferred`, … */
  readonly cause: string;
  /** Milliseconds since the previous run, by the gateway's clock. */
  readonly waitedMs: number;
}

/** How the event ended, and everything that the handler did. */
export interface TestRun {
  /** `completed`, `rejected`, `skipped_stale` or `dead_letter`; `failed` or `deferred` if `maxRuns` ended it earlier. */
  readonly status: EventStatus;
  /** The outcome of the last run; undefined if it threw or did not finish. */
  readonly outcome: Outcome | undefined;
  readonly attempts: readonly TestAttempt[];
  /** The writes that were committed together with the event's completion. */
  readonly effects: readonly EffectWrite[];
  /** The items of each table after the run, by the name the handler uses. */
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  /** The lines that the handler wrote with `context.log`. */
  readonly logs: readonly Readonly<Record<string, unknown>>[];
  /** `<cause>: <error> at <file>:<line>: <message>` of the last failure, as the person on call reads it. */
  readonly lastError: string | undefined;
}

const EVENTS = 'events of the gateway';
const PAYLOADS = 'payloads of the gateway';
const RETENTION_DAYS = 30;

/**
 * Runs a handler with an event as the gateway does: with the real rules for attempts, backoff, transactions and dead
 * letters, over memory instead of AWS. Waits take no time. Returns when the event is in a final state. Throws TypeError
 * for writes that DynamoDB would never accept.
 * @example
 * const run = await runHandler(async () => done(), createTestEvent({ body: { id: 'evt_1' } }));
 * if (run.status !== 'completed') throw new Error(run.lastError);
 */
export async function runHandler(handler: Handler, event: WebhookEvent, options: RunOptions = {}): Promise<TestRun> {
  const restore = setEnvironment(options.env ?? {});
  try {
    return await new Run(handler, event, options).untilFinished();
  } finally {
    restore();
  }
}

class Run {
  readonly #options: RunOptions;
  readonly #event: WebhookEvent;
  readonly #clock: VirtualClock;
  readonly #store: TestTables;
  readonly #payloads: MemoryPayloadStore;
  readonly #telemetry = new MemoryTelemetry();
  readonly #ports: ProcessPorts;
  readonly #rules: ProcessRules;
  readonly #answers: Pick<TestAttempt, 'number' | 'outcome' | 'error'>[] = [];

  constructor(handler: Handler, event: WebhookEvent, options: RunOptions) {
    this.#options = options;
    this.#event = event;
    this.#clock = new VirtualClock(event.receivedAt);
    const clock = this.#clock;
    const telemetry = this.#telemetry;
    const random = new SeededRandom(1);
    const database = new MemoryDatabase({ clock, random });
    database.define(eventsTable(EVENTS));
    database.define(payloadsTable(PAYLOADS));
    this.#store = new TestTables(database, EVENTS, options.tables ?? {});
    this.#payloads = new MemoryPayloadStore(database, PAYLOADS);
    const nowhere = { send: async () => {}, hide: async () => {} };
    this.#ports = {
      store: this.#store,
      payloads: this.#payloads,
      blobs: new MemoryBlobs(clock),
      queue: nowhere,
      dead: nowhere,
      receipts: nowhere,
      pauses: { isPaused: async () => false },
      breaker: new Breaker(),
      handlers: defineHandlers([
        { source: '*', type: '*', handle: this.#watched(handler), retry: options.retry ?? DEFAULT_RETRY },
      ]),
      crypto: nodeCrypto,
      codec: nodeCodec,
      clock,
      ids: new SeededIds(random.fork()),
      random: random.fork(),
      timer: systemTimer,
      telemetry,
      stacks: { read: async error => readPlaces(error) },
    };
    this.#rules = {
      timings: DEFAULT_TIMINGS,
      retentionDays: RETENTION_DAYS,
      deadRetentionDays: 90,
      inlineLimitBytes: 65_536,
      sources: new Map(),
    };
  }

  async untilFinished(): Promise<TestRun> {
    const pk = await this.#record();
    const attempts: TestAttempt[] = [];
    const { maxRuns = 100, timeLimitMs = DEFAULT_TIMINGS.processTimeoutMs - DEFAULT_TIMINGS.deadlineReserveMs } =
      this.#options;
    let item = await this.#read(pk);
    // Twice: a breaker may put the event off between two runs.
    for (let round = 0; !isTerminal(item.status) && attempts.length < maxRuns && round < 2 * maxRuns; round++) {
      const before = this.#clock.now();
      await this.#clock.advanceTo(item.nextAttemptAt ?? before);
      const message = { ...referenceTo(item), ...(attempts.length === 0 ? {} : { again: true }) };
      const record = { body: encodeWorkMessage(message), receipt: 'r', receiveCount: 1, sentAt: this.#clock.now() };
      const deadlineMs = this.#clock.now() + timeLimitMs + DEFAULT_TIMINGS.deadlineReserveMs;
      const runs = this.#answers.length;
      await processEvent(record, deadlineMs, this.#ports, this.#rules);
      // No retry would help: the test is to hear of it at once.
      if (this.#store.malformed) throw this.#store.malformed;
      item = await this.#read(pk);
      const answer = this.#answers[runs];
      if (!answer) continue;
      attempts.push({
        ...answer,
        cause: item.recentAttempts?.at(-1)?.cause ?? '',
        waitedMs: this.#clock.now() - before,
      });
    }
    return {
      status: item.status,
      outcome: attempts.at(-1)?.outcome,
      attempts,
      effects: this.#store.effects,
      tables: this.#store.contents(),
      logs: this.#telemetry.lines.map(({ line }) => line).filter(line => line['stage'] === 'handler'),
      lastError: item.lastError,
    };
  }

  /** The event as ingest leaves it. */
  async #record(): Promise<EventPk> {
    const { id, type, provider, receivedAt, time, timeIsArrival, bytes, headers } = this.#event;
    const pk = eventIdToPk(id);
    if (pk === undefined) throw new RangeError(`"${id}" is not an event id; use createTestEvent()`);
    const bodySha = toHex(nodeCrypto.hash('sha256', bytes));
    const item = pendingItem(
      {
        pk,
        gen: 1,
        provider,
        eventType: type,
        ingestId: 'test',
        bodySha,
        size: bytes.length,
        receivedAt,
        ...(timeIsArrival ? {} : { eventAt: time }),
      },
      this.#clock.now(),
      this.#rules.timings,
      true,
    );
    const expiresAt = expiryAfter(receivedAt, RETENTION_DAYS);
    await this.#payloads.putBody({ pk, sk: `B#${bodySha}`, headers, bytes: nodeCodec.deflate(bytes), expiresAt });
    await this.#store.insert(item);
    return pk;
  }

  async #read(pk: EventPk): Promise<EventIn<EventStatus>> {
    const item = await this.#store.get(pk);
    if (item === undefined || item.status === 'unknown') throw new Error(`the record of ${pk} is gone or broken`);
    return item;
  }

  /** The handler, given the event's own subject, and a note of what each run of it answered. */
  #watched(handler: Handler): Handler {
    const { subject } = this.#event;
    return async (stored, context) => {
      const event = subject === undefined ? stored : { ...stored, subject };
      const at = this.#answers.length;
      const note = (outcome: Outcome | undefined, error: unknown): void => {
        this.#answers[at] = { number: context.attempt, outcome, error };
      };
      note(undefined, undefined);
      try {
        const outcome = await handler(event, context);
        note(outcome, undefined);
        return outcome;
      } catch (error) {
        note(undefined, error);
        throw error;
      }
    };
  }
}

/** Sets variables and answers how to put back what was there. */
function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map(name => [name, env[name]] as const);
  Object.assign(env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete env[name];
      else env[name] = value;
    }
  };
}
