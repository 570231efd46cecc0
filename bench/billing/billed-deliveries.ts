/**
 * Sending, counted: the real functions over AWS in memory, each call billed by the published rules. Three ways in which a
 * delivery meets its session: alone, ten of one endpoint at once, and ten messages to five endpoints at once.
 */

import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { MemoryQueue, type MemoryQueueOptions, type ReceivedMessage } from '#adapters/memory/queue/memory-queue.ts';
import type { SendOptions } from '#adapters/memory/queue/sqs-limits.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import type { MetricName } from '#core/metrics.ts';
import { publishMessage } from '#core/outbound/api/publish-message.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';
import { type BilledCall, Meter } from './counters.ts';
import { CountingDatabase } from './counting-database.ts';

export interface DeliveryShape {
  readonly name: string;
  /** Messages that wait together for one session. */
  readonly atOnce: number;
  readonly fanOut: number;
  readonly messages: number;
}
export const SHAPES: readonly DeliveryShape[] = [
  { name: 'quiet, fan-out 1', atOnce: 1, fanOut: 1, messages: 60 },
  { name: 'busy, fan-out 1', atOnce: 10, fanOut: 1, messages: 120 },
  { name: 'busy, fan-out 5', atOnce: 10, fanOut: 5, messages: 120 },
  { name: 'busy, fan-out 50', atOnce: 10, fanOut: 50, messages: 30 },
];

/** Of one delivery. */
export interface DeliveryCounts {
  readonly writeUnits: number;
  readonly indexUnits: number;
  readonly readUnits: number;
  readonly queueRequests: number;
  readonly fairRequests: number;
  readonly httpRequests: number;
  readonly logBytes: number;
  readonly invocations: number;
  /** Of publish, fan-out and drain, with the predicted times of their calls. */
  readonly gbSeconds: number;
  /** Read units of tend that compare each message with its deliveries, within the two hours after. */
  readonly reconcileReads: number;
  readonly storedBytes: number;
  /** Bytes of one request, headers included. */
  readonly sentBytes: number;
}
export interface DeliveryResult {
  readonly shape: DeliveryShape;
  readonly perDelivery: DeliveryCounts;
  readonly bodyBytes: number;
  /** Of one delivery, in order. */
  readonly calls: readonly BilledCall[];
}

const CALL_MS = { there: 2, back: 3 } as const;
const ANSWER_MS = 120;
const GB = { publish: 0.5, 'fan-out': 0.5, 'drain-fast': 0.25, 'drain-slow': 0.25 } as const;
/** What a call costs in the function itself, beside waiting. */
const OWN_MS = 5;
/** Headers of a signed request. */
const HEADER_BYTES = 600;
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

/** Runs one shape. Throws when a delivery does not end as delivered. */
export async function billDeliveries(shape: DeliveryShape): Promise<DeliveryResult> {
  const meter = new Meter();
  const lazy: { now: () => number } = { now: () => 0 };
  const telemetry = new Logged(meter, () => lazy.now());
  const world = new OutboundWorld({
    makeDatabase: given => new CountingDatabase({ ...given, indexLagMs: () => 0, ttlDelayMs: () => 0 }, meter),
    makeQueue: (given, isFair) => new Queue(given, isFair, meter),
    ...{ telemetry, longPolling: true, idleMs: HOUR_MS, processOf: () => ({ latencyMs: () => CALL_MS }) },
  });
  const { clock } = world;
  lazy.now = () => clock.now();
  // 1. Each run of a function is timed on the virtual clock.
  const used = { invocations: 0, gbSeconds: 0 };
  const timed = async <T>(role: keyof typeof GB, run: () => Promise<T>): Promise<T> => {
    const from = clock.now();
    const result = await run();
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
  const app: AppId = await world.createApplication();
  const eps: EndpointId[] = [];
  for (let n = 0; n < shape.fanOut; n++) {
    eps.push(await world.createEndpoint(app, () => clock.sleep(ANSWER_MS).then(() => answered(200, {}, 'ok'))));
  }
  world.tending = false;
  world.start();

  // 2. Messages, some at once; the first round fills what functions keep between runs.
  let number = 0;
  let bodyBytes = 0;
  // One environment of the function, as long as it is warm: it keeps what it read.
  const publishPorts = { ...world.publishPorts(world.process('publish')), telemetry, judge: async () => [] };
  const publishOne = (): Promise<unknown> => {
    const event = providerEvent(number++, clock.now());
    bodyBytes += event.body.length;
    const text = `{"key":"k${number}","type":"${event.type.replaceAll('/', '.')}","data":${event.body}}`;
    const request = { app, body: new TextEncoder().encode(text), traceId: undefined };
    const rules = { ...world.rules, environment: 'prod', eventTypes: 'any' } as const;
    meter.counts.httpRequests += 1;
    meter.counts.logBytes += ACCESS_LOG_LINE.length + 1;
    return timed('publish', () => publishMessage(publishPorts, rules, request));
  };
  const round = async (): Promise<void> => {
    // What comes while the functions stand still is there when they go on: as in a burst.
    if (shape.atOnce > 1) world.stop();
    const published = Promise.all(Array.from({ length: shape.atOnce }, publishOne));
    await clock.complete(published, MINUTE_MS);
    if (shape.atOnce > 1) world.start();
    await clock.advanceBy(MINUTE_MS);
  };
  const tendFor = async (minutes: number): Promise<number> => {
    const before = meter.counts.readUnits;
    for (let n = 0; n < minutes; n++) {
      await clock.complete(world.tend(), MINUTE_MS);
      await clock.advanceBy(MINUTE_MS - 1_000);
    }
    return meter.counts.readUnits - before;
  };
  await round();
  await tendFor(140);
  const idle = await tendFor(140);
  const stored = world.database as CountingDatabase;
  const storedBefore = stored.storedBytes('outbox');
  const before = structuredClone(meter.counts);
  const usedBefore = { ...used };
  const from = meter.calls.length;
  bodyBytes = 0;
  for (let done = 0; done < shape.messages; done += shape.atOnce) await round();
  const calls = meter.calls.slice(from);
  const after = structuredClone(meter.counts);
  const reconcileReads = (await tendFor(140)) - idle;
  world.stop();

  // 3. All of it was delivered, or the counts would flatter.
  const deliveries = shape.messages * shape.fanOut;
  const delivered = world
    .items<{ status: string }>('outbox', 'D#')
    .filter(({ status }) => status === 'delivered').length;
  const wanted = (shape.messages + shape.atOnce) * shape.fanOut;
  if (delivered !== wanted) throw new Error(`${shape.name}: ${delivered} of ${wanted} were delivered`);
  const each = (
    name: 'writeUnits' | 'indexUnits' | 'readUnits' | 'queueRequests' | 'fairRequests' | 'httpRequests' | 'logBytes',
  ): number => (after[name] - before[name]) / deliveries;
  return {
    shape,
    bodyBytes: bodyBytes / shape.messages,
    calls: shape.atOnce === 1 ? calls.slice(0, calls.length / shape.messages) : [],
    perDelivery: {
      writeUnits: each('writeUnits'),
      indexUnits: each('indexUnits'),
      readUnits: each('readUnits'),
      queueRequests: each('queueRequests'),
      fairRequests: each('fairRequests'),
      httpRequests: each('httpRequests'),
      logBytes: each('logBytes'),
      invocations: (used.invocations - usedBefore.invocations) / deliveries,
      gbSeconds: (used.gbSeconds - usedBefore.gbSeconds) / deliveries,
      reconcileReads: reconcileReads / deliveries,
      storedBytes: (stored.storedBytes('outbox') - storedBefore) / deliveries,
      sentBytes: bodyBytes / shape.messages + HEADER_BYTES,
    },
  };
}
