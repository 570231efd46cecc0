/** AWS in memory as sending meets it, with a meter: what is billed, and for how long each function runs. */
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import type { MetricName } from '#core/metrics.ts';
import { publishMessage } from '#core/outbound/api/publish-message.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import { HOUR_MS } from '#core/time.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';
import { MemoryQueue, type MemoryQueueOptions, type ReceivedMessage } from '#test/kit/memory/queue/memory-queue.ts';
import type { SendOptions } from '#test/kit/memory/queue/sqs-limits.ts';
import { OutboundWorld, type OutboundWorldOptions } from '#test/kit/outbound-world.ts';
import { Meter } from './counters.ts';
import { CountingDatabase } from './counting-database.ts';

/** A call of DynamoDB or SQS, there and back. */
const CALL_MS = { there: 2, back: 3 } as const;
const GB = { publish: 0.5, 'fan-out': 0.5, 'drain-fast': 0.25, 'drain-slow': 0.25 } as const;
/** What a call costs in the function itself, beside waiting. */
const OWN_MS = 5;
/** As API Gateway writes it (lib/constructs/delivery-api.ts), with values of usual length. */
const ACCESS_LOG_LINE = JSON.stringify({
  requestId: 'JKJaXmPLvHcESHA=',
  caller: 'arn:aws:sts::123456789012:assumed-role/billing-backend/i-0abcd1234efgh5678',
  route: 'POST /v1/apps/{app}/messages',
  status: '202',
  latencyMs: '23',
  error: '-',
});

class Queue extends MemoryQueue {
  readonly #meter: Meter;
  readonly #isFair: boolean;
  /** The request that brings this message is counted. */
  #counted = false;
  constructor(options: MemoryQueueOptions, isFair: boolean, meter: Meter) {
    super(options);
    this.#meter = meter;
    this.#isFair = isFair;
  }
  override send(body: string, options: SendOptions = {}): string {
    if (!this.#counted) this.#count('SendMessage', body.length);
    return super.send(body, options);
  }
  override sendBatch(bodies: readonly string[], options: SendOptions = {}): void {
    this.#count('SendMessageBatch', bodies.join('').length);
    this.#counted = true;
    super.sendBatch(bodies, options);
    this.#counted = false;
  }
  /** A batch is received once and deleted once. Polls that find nothing are the price of an idle stack. */
  override receive(limit: number, visibilitySeconds?: number): ReceivedMessage[] {
    const messages = super.receive(limit, visibilitySeconds);
    if (messages.length > 0) {
      this.#count('ReceiveMessage', 0);
      this.#count('DeleteMessageBatch', 0);
    }
    return messages;
  }
  #count(call: string, bytes: number): void {
    this.#meter.counts.queueRequests += 1;
    if (this.#isFair) this.#meter.counts.fairRequests += 1;
    this.#meter.calls.push({ call, target: this.#isFair ? 'jobs' : 'wake', units: 1, indexUnits: 0, bytes });
  }
}

/** The lines that the functions would log. */
class Logged extends MemoryTelemetry {
  readonly #emf: EmfTelemetry;
  constructor(meter: Meter, now: () => number) {
    super();
    const write = (line: string): void => {
      meter.counts.logBytes += Buffer.byteLength(line) + 1;
    };
    this.#emf = new EmfTelemetry({ environment: 'prod', level: 'info', write, now });
  }
  override count(metric: MetricName, dimensions: Readonly<Record<string, string>> = {}, value = 1): void {
    this.#emf.count(metric, dimensions, value);
  }
  override measure(metric: MetricName, value: number, dimensions: Readonly<Record<string, string>> = {}): void {
    this.#emf.measure(metric, value, dimensions);
  }
  override log(level: 'debug' | 'info' | 'warn' | 'error', line: Readonly<Record<string, unknown>>): void {
    this.#emf.log(level, line);
  }
  flush(): void {
    this.#emf.flush();
  }
}

type TimedRole = keyof typeof GB;

export interface CountedWorldOptions extends Omit<OutboundWorldOptions, 'makeDatabase' | 'makeQueue' | 'telemetry'> {
  /** Told when a run of a function begins (1) and ends (-1). */
  readonly onRun?: (role: TimedRole, change: 1 | -1) => void;
  readonly database?: typeof CountingDatabase;
}

/** What a meter shows of a delivery's use; two readings make what came between. */
const METERED = [
  ...(['writeUnits', 'readUnits', 'queueRequests', 'fairRequests', 'httpRequests', 'logBytes'] as const),
  ...(['invocations', 'gbSeconds'] as const),
];
export type Reading = Readonly<Record<(typeof METERED)[number], number>>;

/** Of one of so many deliveries between two readings. */
export const usePerDelivery = (before: Reading, after: Reading, deliveries: number): Reading =>
  Object.fromEntries(METERED.map(name => [name, (after[name] - before[name]) / deliveries])) as Reading;

export interface CountedWorld {
  readonly world: OutboundWorld;
  readonly meter: Meter;
  readonly database: CountingDatabase;
  /** What was used up to now. */
  reading(): Reading;
  /** Of the messages published so far. */
  readonly bodies: { bytes: number };
  /** The next event of the providers, as the API takes it; answers its id. Throws where that is not 202. */
  publish(app: AppId): Promise<string>;
}

/** The real functions over stores that bill by the published rules. A call takes 5 ms. */
export function countedWorld({ onRun, database = CountingDatabase, ...options }: CountedWorldOptions): CountedWorld {
  const meter = new Meter();
  const lazy: { now: () => number } = { now: () => 0 };
  const telemetry = new Logged(meter, () => lazy.now());
  const world = new OutboundWorld({
    makeDatabase: given => new database({ ...given, indexLagMs: () => 0, ttlDelayMs: () => 0 }, meter),
    makeQueue: (given, isFair) => new Queue(given, isFair, meter),
    ...{ telemetry, longPolling: true, idleMs: HOUR_MS, processOf: () => ({ latencyMs: () => CALL_MS }) },
    ...options,
  });
  const { clock } = world;
  lazy.now = () => clock.now();
  // 1. Each run of a function is timed on the virtual clock.
  const used = { invocations: 0, gbSeconds: 0 };
  const timed = async <T>(role: TimedRole, run: () => Promise<T>): Promise<T> => {
    const from = clock.now();
    onRun?.(role, 1);
    const result = await run();
    onRun?.(role, -1);
    used.invocations += 1;
    used.gbSeconds += (GB[role] * (clock.now() - from + OWN_MS)) / 1_000;
    telemetry.flush();
    return result;
  };
  for (const role of ['fan-out', 'drain-fast', 'drain-slow'] as const) {
    const each = world.functions[role];
    const invoke = each.invoke.bind(each);
    each.invoke = (payload: unknown) => timed(role, () => invoke(payload));
  }
  // 2. One environment of publish, as long as it is warm: it keeps what it read.
  const ports = { ...world.publishPorts(world.process('publish')), telemetry, judge: async () => [] };
  const rules = { ...world.rules, environment: 'prod', eventTypes: 'any' } as const;
  const bodies = { bytes: 0 };
  let number = 0;
  const publish = async (app: AppId): Promise<string> => {
    const event = providerEvent(number++, clock.now());
    bodies.bytes += event.body.length;
    const text = `{"key":"k${number}","type":"${event.type.replaceAll('/', '.')}","data":${event.body}}`;
    const request = { app, body: new TextEncoder().encode(text), traceId: undefined };
    meter.counts.httpRequests += 1;
    meter.counts.logBytes += ACCESS_LOG_LINE.length + 1;
    const { status, body } = await timed('publish', () => publishMessage(ports, rules, request));
    if (status !== 202) throw new Error(`a message was not accepted: ${status} ${String(body)}`);
    return (JSON.parse(String(body)) as { id: string }).id;
  };
  const reading = (): Reading => ({ ...meter.counts, ...used });
  return { world, meter, database: world.database as CountingDatabase, reading, bodies, publish };
}
