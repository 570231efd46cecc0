/** A region with its providers, handlers, people and trouble, all drawn from one seed. */
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { EFFECTS, handlersOf } from './handlers.ts';
import { type Totals, verdict } from './ledger-verdict.ts';
import { People } from './people.ts';
import { PROVIDERS, type Provider } from './providers.ts';
import { EVENTS, Region, type RegionOptions } from './region.ts';
import { Traffic } from './traffic.ts';
import { type Trouble, Weather } from './weather.ts';

const SKEW_MS = 3_000;
/** Providers retry for three days, events wait for seven at most: after this, what is owed is owed forever. */
const CALM_LIMIT_MS = 20 * DAY_MS;
/** Spare copies of messages turn up for an hour. */
const QUIET_MS = 70 * MINUTE_MS;

export interface WorldOptions {
  readonly seed: number;
  readonly days: number;
  readonly eventsPerDay: number;
  readonly troubles: ReadonlySet<Trouble>;
  /** Providers and their shares of the traffic. */
  readonly shares?: readonly { readonly provider: Provider; readonly share: number }[];
  readonly region?: Partial<RegionOptions>;
}

const SHARES = PROVIDERS.map((provider, at) => ({ provider, share: [0.35, 0.25, 0.2, 0.1, 0.1][at] ?? 0 }));

export class SimulatedWorld {
  readonly clock = new VirtualClock();
  readonly weather: Weather;
  readonly region: Region;
  readonly traffic: Traffic;
  readonly people: People;
  readonly options: WorldOptions;

  constructor(options: WorldOptions) {
    this.options = options;
    const { seed, troubles, shares = SHARES, days, eventsPerDay } = options;
    const { clock } = this;
    const random = new SeededRandom(seed);
    this.weather = new Weather(clock, random.fork(), troubles);
    const { weather } = this;
    const providers = shares.map(({ provider }) => provider);
    const deferrals = new Map<string, number>();
    this.region = new Region({
      clock,
      random: random.fork(),
      providers,
      plan: weather.plan('function'),
      sweeperPlan: weather.plan('sweeper'),
      skewMs: troubles.has('skew') ? SKEW_MS : 0,
      queue: { duplicateRate: troubles.has('queue') ? 0.005 : 0 },
      deleteFailureRate: troubles.has('queue') ? 0.002 : 0,
      database: {
        conflictRate: troubles.has('conflicts') ? 0.01 : 0,
        ...(troubles.has('index') ? {} : { indexLagMs: () => 0 }),
      },
      handlersOf: (process, { ledger }) =>
        handlersOf(
          providers.map(({ source }) => source),
          process,
          {
            ledger,
            deferrals,
            now: () => clock.now(),
            downstreamDown: weather.downstreamDown,
            killed: () => weather.count('handler killed its process'),
          },
        ),
      ...options.region,
    });
    this.traffic = new Traffic(this.region, weather, random.fork(), { eventsPerDay, days, shares });
    this.people = new People(this.region, this.traffic, weather, random.fork());
  }

  /** All the days, and the calm after them. */
  async run(): Promise<Totals> {
    const { days } = this.options;
    this.region.start();
    this.weather.start(this.region, days);
    this.traffic.start();
    if (this.weather.has('people')) this.people.start();
    await this.clock.advanceBy(days * DAY_MS + 1);
    await this.settle();
    return this.judge();
  }

  /** Lets time pass until nothing is owed and nobody retries, and then until every spare copy has come. */
  async settle(limitMs = CALM_LIMIT_MS): Promise<void> {
    this.weather.calm = true;
    const until = this.clock.now() + limitMs;
    let quietSince: number | undefined;
    while (this.clock.now() < until) {
      await this.clock.advanceBy(10 * MINUTE_MS);
      if (!this.#isQuiet()) quietSince = undefined;
      else quietSince ??= this.clock.now();
      if (quietSince !== undefined && this.clock.now() - quietSince >= QUIET_MS) return;
    }
  }

  #isQuiet(): boolean {
    const { visible, hidden, delayed } = this.region.main.numbers();
    return this.traffic.outstanding === 0 && this.region.ledger.owed === 0 && visible + hidden + delayed === 0;
  }

  judge(): Totals {
    return judgeRegion(this.region);
  }
}

/** The ledger's verdict over the stores as they are now. */
export function judgeRegion({ ledger, database, main, dead, countWatched }: Region): Totals {
  return verdict(ledger, {
    events: database.dump(EVENTS).filter(row => row['status'] !== undefined),
    effects: database.dump(EFFECTS),
    mainBodies: main.dump().map(({ body }) => body),
    deadBodies: dead.dump().map(({ body }) => body),
    watched: countWatched(),
  });
}
