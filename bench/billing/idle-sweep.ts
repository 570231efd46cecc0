/** What one run of the sweeper does while nothing happens, by the number of sources and of open dead letters. */

import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededIds, SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { systemTimer } from '#adapters/system.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { SWEEPER_MEMORY_MB } from '#core/config/sweeper-speed.ts';
import { toSourceId } from '#core/glossary.ts';
import { sweep } from '#core/inbound/sweep/sweep.ts';
import { noteSweeper } from '#core/inbound/sweep/sweeper-record.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { DAYS_PER_MONTH, PRICES } from '#operator/cost/prices.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { MemoryDeadQueue, MemoryQueueGauge, MemoryWorkQueue } from '#test/kit/memory/queue/memory-queue-ports.ts';
import { Meter } from './counters.ts';
import { CountingDatabase } from './counting-database.ts';
import { CountingQueue } from './counting-queue.ts';
import { slowPort } from './slow-port.ts';

/** What a run may take: Lambda's limit, and a reserve. */
const BUDGET_MS = 50_000;
const RUNS_A_MONTH = DAYS_PER_MONTH * 24 * 60;

/** In an hour each run has had its turn: many dead letters are not counted in each. */
const RUNS = 60;

export interface IdleSweep {
  /** Of a run, on average. */
  readonly calls: number;
  readonly readUnits: number;
  /** Of the longest run. */
  readonly seconds: number;
  /** Of a month of such runs: reads, writes and the waiting of the function. */
  readonly dollars: number;
  /** Dead letters that the run reported. */
  readonly deaths: number;
}

/** An hour of runs, after two others: the first one looks at a day of every source. */
export async function idleSweep(sources: number, deaths: number): Promise<IdleSweep> {
  const clock = new VirtualClock();
  const random = new SeededRandom(7);
  const meter = new Meter();
  const database = new CountingDatabase({ clock, random, indexLagMs: () => 0, ttlDelayMs: () => 0 }, meter);
  database.define(eventsTable('events'));
  database.define(payloadsTable('payloads'));
  const sourceIds = Array.from({ length: sources }, (_, n) => toSourceId(`source-${n}`));
  for (let n = 0; n < deaths; n++) {
    const source = sourceIds[n % sources];
    const attentionAt = `${clock.now() - HOUR_MS + n}#handler_error`;
    const item = { pk: `${source}#evt_${n}`, attentionSource: source, attentionAt };
    database.write({ kind: 'put', table: 'events', item });
  }
  let queueCalls = 0;
  const slow = <Port extends object>(port: Port, onCall?: () => void): Port => slowPort(clock, port, onCall);
  const countQueue = (): void => {
    queueCalls += 1;
  };
  const [main, dead] = (['work', 'dead'] as const).map(
    name => new CountingQueue({ clock, random: random.fork(), duplicateRate: 0 }, meter, name),
  ) as [CountingQueue, CountingQueue];
  const telemetry = new MemoryTelemetry();
  const ports = {
    store: slow(new MemoryEventStore(database, 'events')),
    payloads: slow(new MemoryPayloadStore(database, 'payloads')),
    control: slow(new MemoryControlStore(database, 'events')),
    queue: slow(new MemoryWorkQueue(main), countQueue),
    dead: slow(new MemoryDeadQueue(dead), countQueue),
    gauge: slow(new MemoryQueueGauge(main, dead), countQueue),
    clock,
    ids: new SeededIds(random.fork()),
    timer: systemTimer,
    telemetry,
  };
  const config = resolveConfig(gateway, 'prod', PROVIDERS);
  const { deadQueueRetentionSeconds, sweepSendsPerSecond: sendsPerSecond } = config;
  const run = async (): Promise<number> => {
    const startedAt = clock.now();
    let ended = false;
    const swept = sweep(BUDGET_MS, ports, { ...config, sourceIds, sendsPerSecond, deadQueueRetentionSeconds });
    const watched = swept.finally(() => {
      ended = true;
    });
    while (!ended) if (!(await clock.runNext())) await Promise.resolve();
    await watched;
    return clock.now() - startedAt;
  };
  await run();
  // Its notes count after an hour or two: these have passed.
  const unbroken = { since: 0, at: clock.now() + 20 * MINUTE_MS };
  await noteSweeper({ unbroken }, new MemoryControlStore(database, 'events'));
  await clock.advanceBy(20 * MINUTE_MS);
  await run();
  const before = structuredClone(meter.counts);
  const callsBefore = meter.calls.length;
  queueCalls = 0;
  let longestMs = 0;
  let tookMs = 0;
  for (let nth = 0; nth < RUNS; nth++) {
    await clock.advanceBy(MINUTE_MS);
    const ms = await run();
    tookMs += ms;
    longestMs = Math.max(longestMs, ms);
  }
  const { readUnits, writeUnits } = meter.counts;
  const reads = readUnits - before.readUnits;
  const gbSeconds = (tookMs / 1_000) * (SWEEPER_MEMORY_MB / 1_024);
  const all =
    (reads * PRICES.dynamoReadMillion.dollars + (writeUnits - before.writeUnits) * PRICES.dynamoWriteMillion.dollars) /
      1e6 +
    gbSeconds * PRICES.lambdaArmGbSecond.dollars;
  return {
    calls:
      (meter.calls.slice(callsBefore).filter(it => !['work', 'dead'].includes(it.target)).length + queueCalls) / RUNS,
    readUnits: reads / RUNS,
    seconds: longestMs / 1_000,
    dollars: (all / RUNS) * RUNS_A_MONTH,
    deaths: telemetry.measures.findLast(it => it.metric === 'OpenDeadLetters')?.value ?? Number.NaN,
  };
}
