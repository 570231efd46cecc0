/** An environment of a million events and a hundred thousand open dead letters, as the screens meet it: stores that count. */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import type { Deployment } from '#core/config/deployment.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { type EpochMs, toEventId, toEventPk, toSourceId } from '#core/glossary.ts';
import { ARRIVALS_CONTROL, SECOND_LOOK_CONTROL } from '#core/inbound/protocol/arrivals.ts';
import { noteSweeper } from '#core/inbound/sweep/sweeper-record.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, toHour } from '#core/time.ts';
import type { Gateway } from '#operator/gateway.ts';
import { Operator } from '#operator/operator.ts';
import { PROVIDERS } from '#providers/index.ts';
import { CONFIG, ConsoleGateway } from '#test/kit/console-gateway.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { MemorySearchStore } from '#test/kit/memory/memory-search-store.ts';
import { Meter } from '../billing/counters.ts';
import { CountingDatabase } from '../billing/counting-database.ts';
import { slowPort } from '../billing/slow-port.ts';

const DAYS = 30;
const SOURCES = ['stripe', 'github', 'shopify', 'slack'] as const;
const TYPES = ['invoice.paid', 'push', 'orders/create', 'message'] as const;
const BODY = nodeCodec.deflate(Buffer.from(JSON.stringify({ id: 'evt_1', note: 'x'.repeat(700) })));
const SHA = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export interface Million {
  readonly gateway: Gateway;
  /** A person who has asked nothing yet. */
  person(gateway?: Gateway): Operator;
  readonly meter: Meter;
  readonly clock: VirtualClock;
  /** An event that ended well. */
  readonly completed: string;
}

export const deploymentOf = (environment: string): Deployment => resolveDeployment(CONFIG, environment, PROVIDERS);

export async function openMillion(events: number, deaths: number, of = events): Promise<Million> {
  const clock = new VirtualClock();
  const random = new SeededRandom(7);
  const meter = new Meter();
  const database = new CountingDatabase(
    { clock, random, indexLagMs: () => 0, ttlDelayMs: () => 0, unitsPerPartition: Number.POSITIVE_INFINITY },
    meter,
  );
  database.define(eventsTable('events'));
  database.define(payloadsTable('payloads'));
  const every = events / deaths;
  let completed = '';
  const now = clock.now();
  // The oldest first, as they came.
  for (let n = events - 1; n >= 0; n--) {
    const at = now - MINUTE_MS - Math.floor((n * DAYS * DAY_MS) / of);
    const isDead = n % every < 1;
    // No look reads them: all look at a day, or at what is dead.
    if (!isDead && now - at > 25 * HOUR_MS) continue;
    const item = eventOf(n, at, isDead);
    if (!isDead) completed = toEventId(item.pk);
    database.write({ kind: 'put', table: 'events', item });
    // Bodies of the first day: no screen reads further back.
    if (now - at < DAY_MS)
      database.write({
        kind: 'put',
        table: 'payloads',
        item: { pk: item.pk, sk: `B#${SHA}`, headers: {}, bytes: BODY, expiresAt: 4e9 },
      });
    meter.calls.length = 0;
  }
  const shown = new ConsoleGateway();
  const gateway = await shown.operator().gateway();
  const slow = <Port extends object>(port: Port): Port => slowPort(clock, port);
  const control = new MemoryControlStore(database, 'events');
  const counted = { at: now, open: deaths, inQueue: deaths, oldestDeadAt: now - 10 * DAY_MS, complete: true };
  // As a sweeper leaves it that is up to date.
  for (const [name, back] of [
    [ARRIVALS_CONTROL, 2],
    [SECOND_LOOK_CONTROL, 12],
  ] as const)
    await control.write(name, JSON.stringify(Object.fromEntries(SOURCES.map(it => [it, now - back * MINUTE_MS]))), 0);
  await noteSweeper({ wellAt: now, deaths: counted }, control);
  const opened: Gateway = {
    ...gateway,
    store: slow(new MemoryEventStore(database, 'events')),
    payloads: slow(new MemoryPayloadStore(database, 'payloads')),
    search: slow(new MemorySearchStore(database, 'payloads')),
    control: slow(control),
    gauge: slow({
      main: async () => ({ visible: 0, hidden: 0, delayed: 0 }),
      dead: async () => ({ visible: deaths, hidden: 0, delayed: 0 }),
    }),
    clock,
    timer: { ...gateway.timer, sleep: ms => clock.sleep(ms) },
  };
  const person = (of = opened): Operator =>
    new Operator({
      ...{ environment: 'local', by: 'ada', program: 'holdfast', clock },
      readDeployment: deploymentOf,
      openGateway: async () => of,
    });
  return { gateway: opened, person, meter, clock, completed };
}

/** As the adapters write it, with values of usual length. */
function eventOf(n: number, at: EpochMs, isDead: boolean) {
  const source = SOURCES[n % SOURCES.length] ?? 'stripe';
  const key = `evt_1Nx${n.toString(36).padStart(21, '0')}`;
  const end = at + 40;
  const state = isDead
    ? {
        status: 'dead_letter',
        deadAt: end,
        deadId: key,
        dlqSent: true,
        cause: 'handler_error',
        lastError: 'TypeError: Cannot read properties of undefined',
        attentionSource: source,
        attentionAt: `${end}#handler_error`,
      }
    : { status: 'completed', completedAt: end, actionTaken: 'recorded' };
  return {
    ...{
      pk: toEventPk(toSourceId(source), key as never),
      schemaVersion: 1,
      provider: source,
      eventType: TYPES[n % TYPES.length],
    },
    ...{
      gen: 1,
      run: 1,
      ingestId: key,
      bodySha: SHA,
      size: 812,
      receivedAt: at,
      updatedAt: end,
      startedAt: at + 16,
      attempts: 1,
      resends: 0,
    },
    ...{
      timelineHour: `${source}#${toHour(at)}`,
      timelineAt: `${at}#${key}`,
      expiresAt: Math.floor(at / 1_000) + 90 * 86_400,
    },
    ...state,
  };
}
