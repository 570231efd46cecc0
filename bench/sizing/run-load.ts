/** Ours under a load: the real functions over AWS in memory, with the settings' defaults, on a virtual clock. */
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { DeliveryCounts } from '#operator/cost/delivery-bill.ts';
import { answered, type Received, type Receiver } from '#test/kit/outbound-world.ts';
import { HEADER_BYTES } from '../billing/billed-deliveries.ts';
import { countedWorld, usePerDelivery } from '../billing/counted-world.ts';
import { answerTime } from '../isolation/virtual.ts';
import { Gauge, type Level } from './gauge.ts';
import { isUnhealthy, type Load, settingsOf } from './load.ts';
import { type Times, TimesOf } from './times.ts';
import { WatchedDatabase } from './watched-database.ts';

export interface Measured {
  /** Of healthy endpoints, the wide message left out. */
  readonly times: Times;
  /** Of the wide message. */
  readonly wide: Times | undefined;
  /** Leases held; runs of drain, of the fast one alone, and of all functions. */
  readonly sessions: Level;
  readonly runs: Level;
  readonly fast: Level;
  readonly allRuns: Level;
  /** Requests that reached an unhealthy endpoint. */
  readonly toUnhealthy: number;
  /** Of the busiest second: write units of each table, read units of the key that is read most. */
  readonly writes: { readonly outbox: number; readonly registry: number };
  readonly readsOfKey: number;
  readonly perDelivery: DeliveryCounts;
}

const CREATED_A_SECOND = 100;
const WARM_MS = 5_000;
/** After the last message. */
const LATEST_MS = 10 * MINUTE_MS;
/** As long as `tend` compares a message with its deliveries. */
const TEND_MINUTES = 140;
/** A bill has no audit: it is billed by endpoints, not by deliveries. */
const NEVER = 1e9;

/** When messages come within so many milliseconds: as by chance, but exactly as many as the rate says. */
export const arrivals = (random: SeededRandom, perSecond: number, ms: number): readonly number[] =>
  Array.from({ length: Math.round((perSecond * ms) / 1_000) }, () => random.int(ms)).sort((a, b) => a - b);

/** Throws where a delivery of a healthy endpoint does not arrive. `compare`: count what `tend` reads, too. */
export async function runLoad(load: Load, compare: boolean): Promise<Measured> {
  const { slots, schedule, timeoutSeconds, hold, autoDisableDays } = settingsOf(load);
  const gauges: { add(name: string, change: number): void } = { add: () => {} };
  const { world, meter, reading, bodies, publish, ...counted } = countedWorld({
    ...{ slots, waits: schedule, autoDisableDays, breaker: { hold }, auditMinutes: NEVER },
    ...{ publishes: 'direct', keepRequests: false, idleMs: 1_000, database: WatchedDatabase },
    onRun: (role, change) => {
      gauges.add('all', change);
      if (role.startsWith('drain')) gauges.add('runs', change);
      if (role === 'drain-fast') gauges.add('fast', change);
    },
  });
  const { clock, random } = world;
  const database = counted.database as WatchedDatabase;
  const levels = new Map(['all', 'runs', 'fast', 'sessions'].map(name => [name, new Gauge(clock)]));
  gauges.add = (name, change) => levels.get(name)?.add(change);
  database.onSession = change => gauges.add('sessions', change);
  // 1. Applications with an endpoint for each message's copies.
  const times = new TimesOf();
  let sick = false;
  let toUnhealthy = 0;
  const receiver =
    (n: number, unhealthy: boolean): Receiver =>
    async ({ id }: Received) => {
      if (!(unhealthy && sick)) {
        times.begun(`${id} ${n}`, clock.now());
        await clock.sleep(answerTime(random));
        times.ended(`${id} ${n}`, clock.now());
        return answered(200, {}, 'ok');
      }
      toUnhealthy += 1;
      await clock.sleep(load.unhealthy === 'hang' ? 10 * timeoutSeconds * 1_000 : answerTime(random));
      return answered(500);
    };
  const applicationOf = async (from: number, size: number, mayBeSick: boolean): Promise<AppId> => {
    const app = await world.createApplication();
    for (let n = from; n < from + size; n++) {
      await world.createEndpoint(app, receiver(n, mayBeSick && isUnhealthy(n)), { timeoutMs: timeoutSeconds * 1_000 });
      // An application's key takes so many writes a second.
      if (n % CREATED_A_SECOND === 0) await clock.advanceBy(1_000);
    }
    return app;
  };
  const apps: AppId[] = [];
  for (let from = 0; from < load.endpoints; from += load.fanOut)
    apps.push(await applicationOf(from, load.fanOut, load.unhealthy !== undefined));
  const wideFrom = load.endpoints;
  const wideApp = load.wide === undefined ? undefined : await applicationOf(wideFrom, load.wide, false);
  // 2. What tend reads of nothing.
  const tendFor = async (minutes: number): Promise<number> => {
    const before = meter.counts.readUnits;
    for (let n = 0; n < minutes; n++) {
      await clock.complete(world.tend(), MINUTE_MS);
      await clock.advanceBy(MINUTE_MS - 1_000);
    }
    return meter.counts.readUnits - before;
  };
  await tendFor(1);
  const idle = compare ? await tendFor(TEND_MINUTES) : 0;
  world.start();
  // 3. Messages come when they come, not when the ones before are done.
  const published: (readonly [delivery: string, at: number])[] = [];
  const wide: (readonly [delivery: string, at: number])[] = [];
  let all = 0;
  const heard: Promise<void>[] = [];
  const publishOne = (app: AppId, into: (readonly [string, number])[], from: number, size: number): void => {
    const at = clock.now();
    all += size;
    const one = publish(app).then(id => {
      for (let n = from; n < from + size; n++)
        if (load.unhealthy === undefined || !isUnhealthy(n) || from >= wideFrom) into.push([`${id} ${n}`, at]);
    });
    heard.push(one);
  };
  const produceFor = async (ms: number): Promise<void> => {
    const from = clock.now();
    for (const at of arrivals(random, load.perSecond / load.fanOut, ms)) {
      await clock.sleep(from + at - clock.now());
      const to = random.int(apps.length);
      publishOne(apps[to] as AppId, published, to * load.fanOut, load.fanOut);
    }
    await clock.sleep(from + ms - clock.now());
  };
  await clock.complete(produceFor(WARM_MS), 2 * WARM_MS);
  published.length = 0;
  const warm = all;
  all = 0;
  sick = load.unhealthy !== undefined;
  database.restart();
  for (const gauge of levels.values()) gauge.restart();
  const before = reading();
  const storedBefore = database.storedBytes('outbox');
  bodies.bytes = 0;
  const measuredMs = load.seconds * 1_000;
  if (wideApp !== undefined && load.wide !== undefined) {
    const size = load.wide;
    clock.after(measuredMs / 4, () => publishOne(wideApp, wide, wideFrom, size));
  }
  await clock.complete(produceFor(measuredMs), 2 * measuredMs);
  const level = (name: string): Level => (levels.get(name) as Gauge).read();
  const [sessions, runs, fast, allRuns] = [level('sessions'), level('runs'), level('fast'), level('all')];
  await clock.complete(Promise.all(heard), LATEST_MS);
  // 4. All that can arrive does, or the counts would flatter.
  const healthy = [...published, ...wide].map(([delivery]) => delivery);
  await clock.advanceBy(10_000);
  await world.until(() => times.missing(healthy) === 0, LATEST_MS);
  const missing = times.missing(healthy);
  if (missing > 0) throw new Error(`${load.name}: ${missing} of ${healthy.length} never arrived`);
  const after = reading();
  const stored = database.storedBytes('outbox') - storedBefore;
  const reconcileReads = compare ? (await tendFor(TEND_MINUTES)) - idle : 0;
  world.stop();
  return {
    times: times.since(published),
    wide: wide.length === 0 ? undefined : times.since(wide),
    ...{ sessions, runs, fast, allRuns, toUnhealthy },
    writes: { outbox: database.mostWrites('outbox'), registry: database.mostWrites('registry') },
    readsOfKey: database.mostReadsOfKey(),
    perDelivery: {
      ...usePerDelivery(before, after, all),
      reconcileReads: reconcileReads / (warm + all),
      storedBytes: stored / all,
      sentBytes: bodies.bytes / (after.httpRequests - before.httpRequests) + HEADER_BYTES,
    },
  };
}
