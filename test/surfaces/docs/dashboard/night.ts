/**
 * Two hours of the gateway in memory, with three things that go wrong, and the metrics that CloudWatch would have of them.
 * The functions' own metrics are what the real code counts; those of the queues and of the API are read off the model.
 */
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { dimensionsOf, METRIC_NAMESPACE, type MetricName } from '#core/metrics.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { MetricStore } from '#local/alarms/metric-store.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from '#test/proof/journeys/support/handlers.ts';
import { PLACES } from './body.ts';

export const NIGHT_MINUTES = 120;

/** What happens, as the picture says it. */
export const STORY = [
  '00:30 to 00:50: the handler of stripe charge.refunded throws a TypeError; its events die after 4 attempts.',
  '01:00 to 01:12: github is refused, each request (wrong secret).',
  '01:25 to 01:33: nothing is processed; then the backlog drains.',
] as const;

/** Zero where nothing happened, as SQS says it of a queue in use. */
const COUNTED = ['NumberOfMessagesSent', 'NumberOfMessagesReceived', 'NumberOfMessagesDeleted'];

/** Events a minute, and the types that a source sends in turn. */
const TRAFFIC: readonly { readonly source: string; readonly perMinute: number; readonly types: readonly string[] }[] = [
  { source: 'default', perMinute: 1, types: ['heartbeat'] },
  { source: 'stripe', perMinute: 6, types: ['charge.succeeded', 'invoice.paid', 'charge.refunded'] },
  { source: 'github', perMinute: 4, types: ['push', 'pull_request'] },
  { source: 'shopify', perMinute: 5, types: ['orders/create', 'products/update'] },
  { source: 'slack', perMinute: 2, types: ['app_mention'] },
  { source: 'standard-webhooks', perMinute: 1, types: ['contact.created'] },
];

export interface Night {
  readonly store: MetricStore;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly from: number;
  readonly until: number;
}

export async function liveThroughTheNight(): Promise<Night> {
  const store = new MetricStore();
  const slow = new SeededRandom(7);
  let minute = 0;
  const during = (from: number, until: number): boolean => minute >= from && minute < until;
  const world: MemoryWorld = new MemoryWorld({
    sources: TRAFFIC.map(it => it.source),
    retry: { attempts: 4, baseSeconds: 10, capSeconds: 120 },
    idleMs: 20,
    // Of a warm function, as bench/RESULTS.md predicts them for one call.
    process: { latencyMs: () => ({ there: 1 + slow.int(4), back: 2 + slow.int(slow.chance(0.02) ? 60 : 6) }) },
    queue: { duplicateRate: 0.01 },
    handlers: handlerThat((_, event) =>
      event.type === 'charge.refunded' && during(30, 50)
        ? Promise.reject(new TypeError("Cannot read properties of undefined (reading 'id')"))
        : undefined,
    ),
  });
  const from = world.clock.now();
  recordOwn(world, store);
  world.start();
  for (; minute < NIGHT_MINUTES; minute++) {
    if (minute === 85) world.mapping.disable();
    if (minute === 93) world.mapping.enable();
    await liveMinute(world, store, minute, during(60, 72));
  }
  world.stop();
  return { store, lines: world.telemetry.lines.map(it => it.line), from, until: world.clock.now() };
}

async function liveMinute(world: MemoryWorld, store: MetricStore, minute: number, wrong: boolean): Promise<void> {
  const due = TRAFFIC.flatMap(({ source, perMinute, types }) =>
    Array.from({ length: perMinute }, (_, n) => {
      const number = minute * perMinute + n;
      const id = `${source}-${number % 40 === 39 ? number - 1 : number}`;
      const headers =
        wrong && source === 'github' ? { headers: { 'x-webhook-signature': `sha256=${'0'.repeat(64)}` } } : {};
      return {
        at: ((n + 0.5) * MINUTE_MS) / perMinute,
        delivery: { id, source, type: types[number % types.length] ?? '', ...headers },
      };
    }),
  ).toSorted((a, b) => a.at - b.at);
  const start = world.clock.now();
  for (const { at, delivery } of due) {
    await world.clock.advanceTo(start + Math.round(at));
    void deliver(world, store, delivery);
  }
  await world.clock.advanceTo(start + MINUTE_MS);
  const now = world.clock.now();
  for (const [place, queue] of [
    [PLACES.main, world.main],
    [PLACES.dead, world.dead],
  ] as const) {
    const add = (name: string, value: number): void =>
      store.add({ namespace: 'AWS/SQS', name, dimensions: { QueueName: place } }, value, now);
    for (const name of COUNTED) add(name, 0);
    const { visible, hidden } = queue.numbers();
    add('ApproximateNumberOfMessagesVisible', visible);
    add('ApproximateNumberOfMessagesNotVisible', hidden);
  }
  const oldest = world
    .items()
    .filter(it => it.status === 'pending')
    .map(it => now - it.receivedAt);
  store.add(
    { namespace: 'AWS/SQS', name: 'ApproximateAgeOfOldestMessage', dimensions: { QueueName: PLACES.main } },
    Math.max(0, ...oldest) / SECOND_MS,
    now,
  );
  probe(world, store, `default-${minute - 1}`);
}

async function deliver(
  world: MemoryWorld,
  store: MetricStore,
  delivery: Parameters<MemoryWorld['deliver']>[0],
): Promise<void> {
  const begun = world.clock.now();
  const status = (await world.deliver(delivery))?.status ?? 504;
  const now = world.clock.now();
  const add = (name: string, value: number): void =>
    store.add({ namespace: 'AWS/ApiGateway', name, dimensions: { ApiId: PLACES.api } }, value, now);
  add('Latency', now - begun);
  add('Count', 1);
  add('4xx', Number(status >= 400 && status < 500));
  add('5xx', Number(status >= 500));
}

/** The event of the minute before serves as the probe: from its arrival to its completion. */
function probe(world: MemoryWorld, store: MetricStore, id: string): void {
  const item = world.item(id, 'default');
  if (item?.status !== 'completed') return;
  const metric = { namespace: METRIC_NAMESPACE, name: 'ProbeLatency', dimensions: { environment: 'prod' } };
  store.add(metric, item.completedAt - item.receivedAt, world.clock.now());
}

/** What the functions count and measure, under each of its sets of dimensions. */
function recordOwn(world: MemoryWorld, store: MetricStore): void {
  const { telemetry, main } = world;
  const note = (name: MetricName, given: Readonly<Record<string, string>>, value: number): void => {
    const all: Readonly<Record<string, string | undefined>> = { environment: 'prod', ...given };
    for (const set of dimensionsOf(name)) {
      const dimensions = Object.fromEntries(set.flatMap(key => (all[key] === undefined ? [] : [[key, all[key]]])));
      if (Object.keys(dimensions).length === set.length)
        store.add({ namespace: METRIC_NAMESPACE, name, dimensions }, value, world.clock.now());
    }
  };
  const count = telemetry.count.bind(telemetry);
  telemetry.count = (name, dimensions = {}, value = 1) => {
    note(name, dimensions, value);
    count(name, dimensions, value);
  };
  telemetry.measure = (name, value, dimensions = {}) => note(name, dimensions, value);
  const queueCount = (name: string): void =>
    store.add({ namespace: 'AWS/SQS', name, dimensions: { QueueName: PLACES.main } }, 1, world.clock.now());
  main.onSent = () => queueCount('NumberOfMessagesSent');
  main.onReceived = () => queueCount('NumberOfMessagesReceived');
  const remove = main.delete.bind(main);
  main.delete = receipt => {
    queueCount('NumberOfMessagesDeleted');
    remove(receipt);
  };
}
