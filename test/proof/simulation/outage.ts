/**
 * The service one source's handlers depend on is down for an hour at 290 events a second, 1.04 million in all. Run as a
 * program it prints its result as JSON: the full size wants a process, and a heap, of its own.
 */
import { createHash } from 'node:crypto';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { defineHandlers, done, type HandlerRegistry } from '#core/handler/handler-contract.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { SimulatedProcess } from '#test/kit/memory/simulated-process.ts';
import { EFFECTS } from './handlers.ts';
import type { Complaint, Ledger } from './ledger.ts';
import { PROVIDERS, type Provider, type ProviderEvent } from './providers.ts';
import { Region } from './region.ts';
import { judgeRegion } from './simulated-world.ts';
import { Traffic } from './traffic.ts';
import { Weather } from './weather.ts';

const PER_SECOND = 290;
const OTHERS_PER_SECOND = 2;
const IN_FLIGHT_LIMIT = 120_000;
const SENDS_PER_SECOND = 300;
const HOT = 'github';
const OTHERS = ['stripe', 'shopify'];

export interface OutageResult {
  readonly events: number;
  readonly completed: number;
  readonly dead: number;
  readonly lost: number;
  readonly wrong: number;
  readonly complaints: readonly Complaint[];
  readonly failedAttempts: number;
  readonly inFlightLimit: number;
  readonly mostInFlight: number;
  /** Milliseconds from recorded to done at the 99th percentile, of the other sources: before, and from then on. */
  readonly othersBeforeMs: number;
  readonly othersDuringMs: number;
  /** Of the hot source, when the service came back, and how long it took from then until none was left. */
  readonly backlog: number;
  readonly drainedAfterMinutes: number;
}

/** `scale`: rates and limits are divided by it. `lastsMs`: of the outage. */
export async function downstreamOutage(scale: number, lastsMs = HOUR_MS): Promise<OutageResult> {
  const clock = new VirtualClock();
  const random = new SeededRandom(290);
  const weather = new Weather(clock, random.fork(), new Set());
  const providers = PROVIDERS.filter(({ source }) => source === HOT || OTHERS.includes(source));
  let down = false;
  let outageBegan = Number.POSITIVE_INFINITY;
  const before: number[] = [];
  const during: number[] = [];
  const region = new Region({
    clock,
    random: random.fork(),
    providers,
    queue: { duplicateRate: 0.0005, inFlightLimit: Math.ceil(IN_FLIGHT_LIMIT / scale) },
    sweepSendsPerSecond: SENDS_PER_SECOND / scale,
    maximumConcurrency: Math.max(2, Math.round(20 / scale)),
    idleMs: 1_000,
    handlersOf: (process, { ledger }) =>
      registry(process, source => source === HOT && down, ledger.handlerRan.bind(ledger)),
    onFinal: (account, tookMs) => {
      if (account.source !== HOT) (clock.now() < outageBegan ? before : during).push(tookMs);
    },
  });
  const shares = providers.map(provider => ({ provider, share: 1 }));
  const traffic = new Traffic(region, weather, random.fork(), { eventsPerDay: 1, days: 0, shares });
  let sent = 0;
  const flow = (source: string, perSecond: number, goesOn: () => boolean): void => {
    const provider = providers.find(it => it.source === source) as Provider;
    const startedAt = clock.now();
    let n = 0;
    const next = (): void => {
      if (!goesOn()) return;
      sent += 1;
      n += 1;
      traffic.send({ provider, event: eventOf(source, sent, clock.now()) });
      clock.at(startedAt + Math.round((n * SECOND_MS) / perSecond), next);
    };
    next();
  };

  region.start();
  let drained = false;
  for (const source of OTHERS) flow(source, OTHERS_PER_SECOND / Math.sqrt(scale), () => !drained);
  await clock.advanceBy(10 * MINUTE_MS);
  down = true;
  outageBegan = clock.now();
  flow(HOT, PER_SECOND / scale, () => down);
  await clock.advanceBy(lastsMs);
  down = false;
  const cameBackAt = clock.now();
  const waiting = (): number => region.ledger.owedOf(HOT);
  const backlog = waiting();
  while (waiting() > 0 && clock.now() < cameBackAt + 12 * HOUR_MS) await clock.advanceBy(MINUTE_MS);
  const drainedAfterMinutes = (clock.now() - cameBackAt) / MINUTE_MS;
  drained = true;
  // Spare copies of messages turn up for an hour.
  await clock.advanceBy(70 * MINUTE_MS);
  const totals = judgeRegion(region);
  const { ledger } = region;
  return {
    events: sent,
    completed: totals.finals['completed'] ?? 0,
    dead: totals.finals['dead_letter'] ?? 0,
    lost: totals.lost,
    wrong: ledger.wrong,
    complaints: ledger.complaints,
    failedAttempts: region.telemetry.total('AttemptsFailed'),
    inFlightLimit: Math.ceil(IN_FLIGHT_LIMIT / scale),
    mostInFlight: region.mostInFlight,
    othersBeforeMs: percentile(before, 0.99),
    othersDuringMs: percentile(during, 0.99),
    backlog,
    drainedAfterMinutes,
  };
}

function eventOf(source: string, n: number, createdAt: number): ProviderEvent {
  return { source, id: `evt_${n}`, createdAt, plan: { kind: 'commits', times: 0, ms: 0 }, filler: '', others: [] };
}

/** Commits, after a while; while its service is down it waits for it in vain. */
function registry(
  process: SimulatedProcess,
  isDown: (source: string) => boolean,
  ran: Ledger['handlerRan'],
): HandlerRegistry {
  return defineHandlers(
    [HOT, ...OTHERS].map(source => ({
      source,
      type: '*',
      handle: async (event, context) => {
        if (isDown(source)) {
          await process.timer.sleep(SECOND_MS);
          throw new Error('downstream is unreachable');
        }
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

if (import.meta.main) console.log(JSON.stringify(await downstreamOutage(Number(process.argv[2] ?? '50'))));
