/** Named scenarios: one story each, in a world without other trouble, judged by the same ledger. */
import type { ControlStore } from '#core/inbound/ports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { Totals } from './ledger-verdict.ts';
import { PROVIDERS, type Provider } from './providers.ts';
import { EVENTS, PAYLOADS } from './region.ts';
import { SimulatedWorld, type WorldOptions } from './simulated-world.ts';
import { TROUBLES, type Trouble } from './weather.ts';

const NO_TROUBLE: ReadonlySet<Trouble> = new Set();

export interface Ending {
  readonly world: SimulatedWorld;
  readonly totals: Totals;
}

function quietWorld(options: Partial<WorldOptions> = {}): SimulatedWorld {
  return new SimulatedWorld({ seed: 1, days: 1, eventsPerDay: 1, troubles: NO_TROUBLE, ...options });
}

/** Sends events of all providers in turn, at a steady rate, and waits until all are answered. */
async function sendMany(world: SimulatedWorld, count: number, perSecond: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const provider = PROVIDERS[n % PROVIDERS.length] as Provider;
    world.clock.after(Math.floor((n * SECOND_MS) / perSecond), () => {
      world.traffic.send({ provider, event: world.traffic.newEventOf(provider) });
    });
  }
  await world.clock.advanceBy(Math.ceil((count * SECOND_MS) / perSecond) + MINUTE_MS);
}

async function end(world: SimulatedWorld): Promise<Ending> {
  await world.settle();
  return { world, totals: world.judge() };
}

/** Both tables are emptied, as after a restore to an older point, while messages are queued. */
export async function emptiedTable(count: number): Promise<Ending & { queued: number; left: number }> {
  const world = quietWorld({ region: { latencyMs: () => ({ there: 1, back: 0 }), idleMs: 1_000 } });
  const { region } = world;
  await sendMany(world, count, 400);
  const queued = region.main.numbers().visible;
  region.database.empty(EVENTS);
  region.database.empty(PAYLOADS);
  region.ledger.tablesEmptied();
  const left = region.database.dump(EVENTS).length;
  region.start();
  return { ...(await end(world)), queued, left };
}

/** A deploy whose processor cannot start, for some hours; then the rollback. */
export async function brokenDeploy(hours: number, count: number) {
  const world = quietWorld({ troubles: new Set(['handlers', 'queue', 'skew', 'index']) });
  const { region, clock } = world;
  region.start();
  region.process.brokenDeploy = true;
  region.process.replaceEnvironments();
  const startedAt = clock.now();
  await sendMany(world, count, count / (hours * 3_600));
  await clock.advanceTo(startedAt + hours * HOUR_MS);
  const atRollback = {
    completed: [...region.ledger.accounts.values()].filter(({ completions }) => completions > 0).length,
    inDeadQueue: region.dead.dump().length,
    received: Math.max(...region.main.dump().map(({ receiveCount }) => receiveCount)),
  };
  region.process.brokenDeploy = false;
  return { ...(await end(world)), atRollback };
}

/** Everything in the queue is purged once, before any of it was processed. */
export async function purgedQueue(count: number): Promise<Ending & { purged: number }> {
  const world = quietWorld();
  await sendMany(world, count, 100);
  world.region.main.purge();
  const { purged } = world.region.ledger.counts;
  world.region.start();
  return { ...(await end(world)), purged };
}

/** Two sweepers every minute, neither of which sees the other's lease, in all the trouble there is. */
export async function twoSweepers(seed: number, days: number, eventsPerDay: number): Promise<Ending> {
  const blind = (control: ControlStore): ControlStore => ({
    read: async name => (name === 'sweeper-lease' ? undefined : control.read(name)),
    write: async (name, value, version) => (name === 'sweeper-lease' ? true : control.write(name, value, version)),
    list: prefix => control.list(prefix),
  });
  const region = { sweepers: 2, sweeperControl: blind, timings: { deferLimitMs: DAY_MS } };
  const world = new SimulatedWorld({ seed, days, eventsPerDay, troubles: new Set(TROUBLES), region });
  return { world, totals: await world.run() };
}

/** More than two months with deletion by TTL, repetitions long after it, a source paused for six weeks, late replays. */
export async function monthOfRetention(seed: number, eventsPerDay: number) {
  const days = 75;
  const late = (provider: Provider): Provider =>
    // Where the signed event has no time of its own, nobody can tell a repetition after the retention from a new event.
    ['stripe', 'shopify', 'slack'].includes(provider.source) ? { ...provider, lateMs: 70 * DAY_MS } : provider;
  const world = new SimulatedWorld({
    seed,
    days,
    eventsPerDay,
    troubles: new Set(['duplicates', 'handlers', 'queue', 'index', 'skew']),
    shares: PROVIDERS.map(provider => ({ provider: late(provider), share: 1 })),
    region: { sweepEveryMs: HOUR_MS, idleMs: 2 * MINUTE_MS },
  });
  world.clock.after(3 * DAY_MS, () => void world.people.pauseFor('github', 42 * DAY_MS));
  for (let day = 5; day < days; day += 3)
    world.clock.after(day * DAY_MS, () => void world.people.replayOld(28 * DAY_MS, 5));
  const totals = await world.run();
  const { accounts } = world.region.ledger;
  const again = [...accounts.values()].filter(({ incarnations }) => incarnations > 0);
  return {
    world,
    totals,
    /** Came again after their record was deleted, and were recognised by their age. */
    tooOld: again.filter(({ record }) => record?.status === 'skipped_stale').length,
    longestPauseDays: (world.region.telemetry.worst('PausedOldestAge') * SECOND_MS) / DAY_MS,
  };
}
