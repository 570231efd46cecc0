/**
 * A source that sends several times what the table takes of it, beside a quiet one. Run as a program it prints its result as
 * JSON. Rates, the limit of a partition and the places in flight are divided by `scale`.
 */
import { createHash } from 'node:crypto';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { defineHandlers, done, type HandlerRegistry } from '#core/handler/handler-contract.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { SimulatedProcess } from '#test/kit/memory/simulated-process.ts';
import { EFFECTS } from './handlers.ts';
import type { Complaint, Ledger } from './ledger.ts';
import { PROVIDERS, type Provider } from './providers.ts';
import { Region } from './region.ts';
import { judgeRegion } from './simulated-world.ts';
import { Traffic } from './traffic.ts';
import { Weather } from './weather.ts';

const HOT = 'github';
const QUIET = 'stripe';
/** DynamoDB, write units of one key a second; SQS. */
const UNITS_PER_PARTITION = 1_000;
const IN_FLIGHT_LIMIT = 120_000;
const QUIET_PER_SECOND = 2;

export interface HotSourceOptions {
  readonly scale: number;
  /** Events a second of the hot source, before they are scaled. */
  readonly perSecond: number;
  readonly lastsMs: number;
  readonly seed?: number;
  /** Keys that the hot source is spread over. @default 1 */
  readonly shards?: number;
}

export interface HotSourceResult {
  readonly events: number;
  readonly completed: number;
  readonly lost: number;
  readonly complaints: readonly Complaint[];
  readonly inFlightLimit: number;
  readonly mostInFlight: number;
  /** Writes that the table refused. */
  readonly refused: number;
  /** Messages sent for one event of the hot source, on average. */
  readonly sendsPerEvent: number;
  /** Milliseconds from recorded to done at the 99th percentile, of the quiet source: before, and while the other is hot. */
  readonly quietBeforeMs: number;
  readonly quietDuringMs: number;
  /** Of the hot source when it stopped, and how long it took from then until none was left. */
  readonly backlog: number;
  readonly drainedAfterMinutes: number;
}

export async function hotSource({
  scale,
  perSecond,
  lastsMs,
  seed = 19,
  shards = 1,
}: HotSourceOptions): Promise<HotSourceResult> {
  const clock = new VirtualClock();
  const random = new SeededRandom(seed);
  const providers = PROVIDERS.filter(({ source }) => source === HOT || source === QUIET);
  const inFlightLimit = Math.ceil(IN_FLIGHT_LIMIT / scale);
  const before: number[] = [];
  const during: number[] = [];
  let beganAt = Number.POSITIVE_INFINITY;
  let stoppedAt = Number.POSITIVE_INFINITY;
  const region = new Region({
    clock,
    random: random.fork(),
    providers,
    queue: { duplicateRate: 0.0005, inFlightLimit },
    database: { unitsPerIndexKey: UNITS_PER_PARTITION / scale },
    ...(shards === 1 ? {} : { shards: { [HOT]: shards } }),
    sweepSendsPerSecond: 300 / scale,
    // Of the scaled machine: what processes its share of the events, and not less than a few.
    maximumConcurrency: Math.max(6, Math.round(100 / scale)),
    idleMs: 50,
    handlersOf: (process, { ledger }) => registry(process, ledger.handlerRan.bind(ledger)),
    onFinal: (account, tookMs) => {
      const recordedAt = clock.now() - tookMs;
      if (account.source === QUIET && recordedAt < stoppedAt) (recordedAt < beganAt ? before : during).push(tookMs);
    },
  });
  const traffic = new Traffic(region, new Weather(clock, random.fork(), new Set()), random.fork(), {
    eventsPerDay: 1,
    days: 0,
    shares: providers.map(provider => ({ provider, share: 1 })),
  });
  let sent = 0;
  let hot = 0;
  const flow = (source: string, rate: number, goesOn: () => boolean): void => {
    const provider = providers.find(it => it.source === source) as Provider;
    const startedAt = clock.now();
    let n = 0;
    const next = (): void => {
      if (!goesOn()) return;
      sent += 1;
      n += 1;
      if (source === HOT) hot += 1;
      const plan = { kind: 'commits', times: 0, ms: 0 } as const;
      traffic.send({
        provider,
        event: { source, id: `evt_${sent}`, createdAt: clock.now(), plan, filler: '', others: [] },
      });
      clock.at(startedAt + Math.round((n * SECOND_MS) / rate), next);
    };
    next();
  };

  region.start();
  flow(QUIET, QUIET_PER_SECOND, () => clock.now() < stoppedAt);
  await clock.advanceBy(MINUTE_MS);
  beganAt = clock.now();
  flow(HOT, perSecond / scale, () => clock.now() < stoppedAt);
  await clock.advanceBy(lastsMs);
  stoppedAt = clock.now();
  const waiting = (): number => region.ledger.owedOf(HOT);
  const backlog = waiting();
  while (waiting() > 0 && clock.now() < stoppedAt + 24 * HOUR_MS) await clock.advanceBy(MINUTE_MS);
  const drainedAfterMinutes = (clock.now() - stoppedAt) / MINUTE_MS;
  // Spare copies of messages turn up for an hour.
  await clock.advanceBy(70 * MINUTE_MS);
  const totals = judgeRegion(region);
  return {
    events: sent,
    completed: totals.finals['completed'] ?? 0,
    lost: totals.lost,
    complaints: region.ledger.complaints,
    inFlightLimit,
    mostInFlight: region.mostInFlight,
    refused: region.telemetry.total('DependencyError'),
    sendsPerEvent: (region.main.sent - (sent - hot)) / hot,
    quietBeforeMs: percentile(before, 0.99),
    quietDuringMs: percentile(during, 0.99),
    backlog,
    drainedAfterMinutes,
  };
}

function registry(process: SimulatedProcess, ran: Ledger['handlerRan']): HandlerRegistry {
  return defineHandlers(
    [HOT, QUIET].map(source => ({
      source,
      type: '*',
      handle: async (event, context) => {
        await process.timer.sleep(20);
        const { attempt, generation: gen } = context;
        const pk = `${source}#${event.id.slice(`evt_${source}.`.length)}`;
        ran({ pk, gen, attempt, bodySha: createHash('sha256').update(event.bytes).digest('hex'), ofItsType: true });
        context.transact([
          { kind: 'update', table: EFFECTS, key: { id: pk }, set: { gen, attempt }, add: { times: 1 } },
        ]);
        return done();
      },
    })),
  );
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

if (import.meta.main) {
  const [scale = 10, perSecond = 3_000, minutes = 10, shards = 1] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(await hotSource({ scale, perSecond, lastsMs: minutes * MINUTE_MS, shards }), null, 2));
}
