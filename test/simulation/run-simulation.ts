/** One seeded run: so many virtual days of providers, handlers, people and trouble, then calm, then the verdict. */
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { Timings } from '#core/resolved-config.ts';
import { EFFECTS, handlersOf } from './handlers.ts';
import type { Complaint } from './ledger.ts';
import { type Totals, verdict } from './ledger-verdict.ts';
import { People } from './people.ts';
import { PROVIDERS } from './providers.ts';
import { EVENTS, Region } from './region.ts';
import { Traffic } from './traffic.ts';
import { type Trouble, Weather } from './weather.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SKEW_MS = 3_000;
const SHARES = [0.35, 0.25, 0.2, 0.1, 0.1];
/** Providers retry for three days, events wait for seven at most: after this, what is owed is owed for ever. */
const CALM_LIMIT_MS = 20 * 24 * HOUR;

export interface SimulationOptions {
  readonly seed: number;
  readonly days: number;
  readonly eventsPerDay: number;
  readonly troubles: ReadonlySet<Trouble>;
  readonly timings?: Partial<Timings>;
}

export interface SimulationReport {
  readonly options: SimulationOptions;
  readonly totals: Totals;
  readonly complaints: readonly Complaint[];
  /** Complaints in all. */
  readonly wrong: number;
  readonly looks: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<string, number>;
  readonly faultsInAll: number;
  readonly traffic: Traffic['counts'];
  readonly people: People['counts'];
  readonly deadCauses: ReadonlyMap<string, number>;
  readonly ledger: Region['ledger']['counts'];
  readonly duplicates: number;
  readonly leasesLost: number;
  readonly unrecordedAccepted: number;
  readonly resent: number;
  readonly virtualDays: number;
  readonly tookMs: number;
  /** Processor time of the whole process meanwhile. */
  readonly cpuMs: number;
}

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const began = performance.now();
  const cpuBegan = process.cpuUsage();
  const random = new SeededRandom(options.seed);
  const { troubles, days, eventsPerDay, timings = {} } = options;
  let weather: Weather | undefined;
  const deferrals = new Map<string, number>();
  const handlerRandom = random.fork();
  const [weatherRandom, trafficRandom, peopleRandom] = [random.fork(), random.fork(), random.fork()];
  // The clock is the region's, and the plan is needed to build the region: the weather comes a moment later.
  const plans = { function: undefined, sweeper: undefined } as Record<
    'function' | 'sweeper',
    ReturnType<Weather['plan']> | undefined
  >;
  const region: Region = new Region({
    random,
    providers: PROVIDERS,
    timings,
    plan: call => plans.function?.(call),
    sweeperPlan: call => plans.sweeper?.(call),
    skewMs: troubles.has('skew') ? SKEW_MS : 0,
    queue: { duplicateRate: troubles.has('queue') ? 0.005 : 0 },
    deleteFailureRate: troubles.has('queue') ? 0.002 : 0,
    database: {
      conflictRate: troubles.has('conflicts') ? 0.01 : 0,
      ...(troubles.has('index') ? {} : { indexLagMs: () => 0 }),
    },
    handlersOf: (process, { ledger, clock }) =>
      handlersOf(
        PROVIDERS.map(({ source }) => source),
        process,
        {
          ledger,
          deferrals,
          random: handlerRandom,
          now: () => clock.now(),
          downstreamDown: source => weather?.downstreamDown(source) ?? false,
          killed: () => weather?.count('handler killed its process'),
        },
      ),
  });
  weather = new Weather(region.clock, weatherRandom, troubles);
  plans.function = weather.plan('function');
  plans.sweeper = weather.plan('sweeper');
  const shares = PROVIDERS.map((provider, at) => ({ provider, share: SHARES[at] ?? 0.1 }));
  const traffic = new Traffic(region, weather, trafficRandom, { eventsPerDay, days, shares });
  const people = new People(region, traffic, weather, peopleRandom);
  const startedAt = region.clock.now();
  region.start();
  weather.start(region, days);
  traffic.start();
  if (weather.has('people')) people.start();
  await region.clock.advanceBy(days * 24 * HOUR + 1);
  await calmDown(region, traffic);
  const totals = judge(region);
  const { ledger, telemetry } = region;
  const cpu = process.cpuUsage(cpuBegan);
  return {
    options,
    totals,
    complaints: ledger.complaints,
    wrong: ledger.wrong,
    looks: ledger.looks,
    faults: weather.counts,
    faultsInAll: weather.total,
    traffic: traffic.counts,
    people: people.counts,
    deadCauses: ledger.deadCauses,
    ledger: ledger.counts,
    duplicates: telemetry.total('Duplicate'),
    leasesLost: telemetry.total('LeaseLost'),
    unrecordedAccepted: telemetry.total('UnrecordedAccepted'),
    resent: telemetry.total('SweeperResent'),
    virtualDays: (region.clock.now() - startedAt) / (24 * HOUR),
    tookMs: performance.now() - began,
    cpuMs: (cpu.user + cpu.system) / 1_000,
  };
}

/** Lets time pass without faults until nothing is owed and nobody retries, and then until every spare copy has come. */
export async function calmDown(
  region: Region,
  traffic: Pick<Traffic, 'outstanding'>,
  limitMs = CALM_LIMIT_MS,
): Promise<void> {
  const until = region.clock.now() + limitMs;
  let quietSince: number | undefined;
  while (region.clock.now() < until) {
    await region.clock.advanceBy(10 * MINUTE);
    const { visible, hidden, delayed } = region.main.numbers();
    const quiet = traffic.outstanding === 0 && region.ledger.owed === 0 && visible + hidden + delayed === 0;
    if (!quiet) quietSince = undefined;
    else quietSince ??= region.clock.now();
    if (quietSince !== undefined && region.clock.now() - quietSince >= 70 * MINUTE) return;
  }
}

/** The ledger's verdict over the stores as they are now. */
export function judge(region: Region): Totals {
  const { ledger, database, telemetry } = region;
  for (const line of telemetry.mistakes) ledger.complain('I2', `the product reports a mistake of its own: ${line}`);
  const events = database.dump(EVENTS).filter(row => row['status'] !== undefined);
  return verdict(ledger, {
    events,
    effects: database.dump(EFFECTS),
    mainBodies: region.main.dump().map(({ body }) => body),
    deadBodies: region.dead.dump().map(({ body }) => body),
    watched: region.countWatched(),
  });
}
