/** A world of customers for some days: traffic, people, weather; then it is healed and everything must end. */

import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { SCHEDULES, type ScheduleName } from '#core/outbound/drain/schedule.ts';
import { disable, enableEndpoint, pause, resume, tryEndpoint } from '#core/outbound/gate/gate.ts';
import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { RecordItem } from '#core/outbound/protocol/items.ts';
import { deleteEndpoint } from '#core/outbound/registry/endpoints.ts';
import { replayDelivery } from '#core/outbound/replay/replay-delivery.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { Fault, FaultPlan } from '#test/kit/memory/faults.ts';
import { OutboundWorld, type Received } from '#test/kit/outbound-world.ts';
import { Witness } from '../../journeys/outbound/support/witness.ts';
import { AttemptsBook } from './attempts-book.ts';
import { Ledger } from './ledger.ts';
import { contentOf, isLarge, MoreTroubles, type TroubleCounts } from './more-troubles.ts';
import { startReaders } from './readers.ts';
import { TEMPERAMENTS, type Temperament, temperamentOf } from './temperaments.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly endpoints: number;
  readonly days: number;
  /** Messages per application and hour at noon. */
  readonly perHour: number;
  readonly endpointsPerApplication?: number;
  /** Without weather, and without people at their gates: how fast healthy endpoints are served is judged. */
  readonly calm?: boolean;
  /** Whatever fans out or sends is killed so often, all of it at once. */
  readonly killEveryMs?: number;
  /** Days after which what waits ends. With `abandoned` endpoints the run lasts until then. Default 30, and none. */
  readonly retentionDays?: number;
  readonly abandoned?: boolean;
  readonly schedule?: ScheduleName;
}
export interface SimulationReport {
  readonly messages: number;
  readonly deliveries: number;
  readonly requests: number;
  readonly duplicates: number;
  /** Acknowledgements of readers. */
  readonly read: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly checks: number;
  /** Attempts that were charged; of these, kept to be read. */
  readonly charged: number;
  readonly kept: number;
  /** Deliveries that died, generations apart. */
  readonly dead: number;
  readonly trials: number;
  /** Requests after a failure, each compared with its due time. */
  readonly retries: number;
  readonly disabled: number;
  readonly opened: number;
  readonly firstDelayP50: number;
  readonly firstDelayP99: number;
  readonly mostRequestsOfTheDeadPerDay: number;
  readonly troubles: number;
  /** Runs that were killed at work. */
  readonly kills: number;
  /** Messages whose body lies in the bucket. */
  readonly large: number;
  /** What else was done to messages. */
  readonly more: TroubleCounts;
  readonly complaints: readonly string[];
}

/** Counts, and forgets the rest. */
class Counters extends MemoryTelemetry {
  override measure(): void {}
  override log(): void {}
}

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { seed, days, perHour, calm = false, endpointsPerApplication = 5, retentionDays = 30 } = options;
  const { abandoned = false, schedule = 'standard', killEveryMs } = options;
  const random = new SeededRandom(seed);
  const witness = new Witness();
  const ledger = new Ledger(retentionDays * DAY_MS);
  let healed = false;
  let storm = false;
  const book = new AttemptsBook({
    now: () => clock.now(),
    waits: SCHEDULES[schedule],
    endpointOf: url => ledger.endpointOf(url),
    isOrdered: ep => world.endpoints.get(ep)?.ordered === true,
    recordOf: (ep, msg) => witness.deliveries.get(`${ep} ${msg}`)?.record,
    troubled: (from, to) => ledger.troubles.some(at => at >= from && at <= to),
  });
  const requestsOfTheDead = new Map<string, number>();
  const hopeless = new Set<string>();

  // 1. Weather: for some minutes now and then a share of the calls fails, in every way there is.
  const weather = random.fork();
  const plan: FaultPlan = call => {
    if (!storm || healed) return undefined;
    if (!weather.chance(0.04)) return undefined;
    ledger.trouble(call.at);
    // An answer that gets lost on its way is the business of the temperaments: the receiver's ledger must know of it.
    const deaths = ['crash_before', 'crash_after'] as const;
    const faults = ['error', 'throttled', 'lost_reply_error', 'lost_reply_retried', 'hang', 'applied_late'] as const;
    return weather.pick<Fault>(call.dependency === 'http' ? deaths : [...deaths, ...faults]);
  };
  const world = new OutboundWorld({
    seed,
    waits: SCHEDULES[schedule],
    retentionMs: retentionDays * DAY_MS,
    longPolling: true,
    idleMs: 20_000,
    keepRequests: false,
    duplicateRate: 0.002,
    telemetry: new Counters(),
    planOf: () => plan,
    processOf: () => ({ latencyMs: () => ({ there: 2, back: 3 }), stallMs: 4 * MINUTE_MS }),
    onChange: change => {
      witness.onChange(change);
      book.onChange(change);
    },
    onRequest: (request: Received) => {
      witness.onRequest(request);
      book.onRequest(request);
      if (hopeless.has(request.url)) {
        const key = `${request.url} ${Math.floor(request.startedAt / DAY_MS)}`;
        requestsOfTheDead.set(key, (requestsOfTheDead.get(key) ?? 0) + 1);
      }
    },
    onAnswer: (request: Received) => {
      witness.onAnswer(request);
      ledger.answered(request);
    },
  });
  witness.watch(world);
  const { clock } = world;
  witness.troubled = () => (ledger.troubles.at(-1) ?? 0) > clock.now() - 3 * MINUTE_MS;
  const end = clock.now() + days * DAY_MS;

  // 2. Customers and their endpoints.
  const apps: AppId[] = [];
  const temperaments = new Map<EndpointId, Temperament>();
  const addEndpoint = async (app: AppId, temperament = temperamentOf(random, abandoned)): Promise<void> => {
    const own = random.fork();
    const receiver = temperament.receiver({ clock, random: own, healed: () => healed });
    const id = await world.createEndpoint(app, receiver, temperament.given ?? {});
    const endpoint = world.endpoints.get(id);
    temperaments.set(id, temperament);
    if (temperament.hopeless) hopeless.add(endpoint?.url ?? '');
    ledger.addEndpoint({
      id,
      app,
      url: endpoint?.url ?? '',
      temperament: temperament.name,
      healthy: temperament.healthy === true,
      batched: temperament.given?.batch !== undefined,
      createdAt: clock.now(),
      abandoned: temperament.abandoned === true,
    });
    const made = ledger.endpoints.get(id);
    if (temperament.read && made) startReaders({ world, ledger, random: own, healed: () => healed }, made);
    if (!temperament.abandoned) return;
    void clock.sleep(random.int(6 * HOUR_MS)).then(() => {
      const act = { by: 'operator', why: 'left', now: clock.now() } as const;
      return world.insist(ports => pause(ports, id, act));
    });
  };
  const kinds = TEMPERAMENTS.filter(each => abandoned || !each.abandoned);
  for (let n = 0; n < options.endpoints; n++) {
    if (n % endpointsPerApplication === 0) apps.push(await world.createApplication());
    // One of each kind, then by their shares.
    const each = n % 2 === 0 ? kinds[n / 2] : undefined;
    await (each ? addEndpoint(apps.at(-1) as AppId, each) : addEndpoint(apps.at(-1) as AppId));
  }
  const all = await world.createApplication({ uid: 'broadcast' });
  world.start();

  // 3. Producers: by day and night, bursts, repetitions.
  const large = new Set<MessageId>();
  const publish = async (app: AppId, key: string): Promise<void> => {
    const askedAt = clock.now();
    const content = contentOf(`${app} ${key}`);
    const heard = await world.publish(app, key, { content });
    if (heard.kind !== 'accepted') return;
    if (isLarge(content)) large.add(heard.id);
    if (!ledger.acknowledged.has(heard.id)) {
      ledger.acknowledged.set(heard.id, { app, key, askedAt, ackedAt: clock.now(), createdAt: heard.createdAt });
    }
  };
  const produce = async (app: AppId, own: SeededRandom): Promise<void> => {
    for (let n = 0; clock.now() < end; n++) {
      const daylight = 0.15 + 0.85 * Math.max(0, Math.sin((Math.PI * ((clock.now() % DAY_MS) / HOUR_MS - 6)) / 14));
      await clock.sleep(Math.round((-Math.log(Math.max(1e-9, own.next())) * HOUR_MS) / (perHour * daylight)));
      if (clock.now() >= end) return;
      const burst = own.chance(0.002) ? 40 : 1;
      for (let each = 0; each < burst; each++) void publish(app, `k${n}-${each}`);
      if (own.chance(0.01)) void publish(app, `k${n}-0`);
    }
  };
  for (const app of apps) void produce(app, random.fork());

  // 4. People, in every state.
  const people = random.fork();
  const meddle = async (): Promise<void> => {
    const act = { by: 'customer', why: 'simulated', now: 0 } as const;
    while (clock.now() < end) {
      await clock.sleep(people.int(2 * HOUR_MS));
      if (clock.now() >= end) return;
      const ep = people.pick([...ledger.endpoints.keys()]);
      const endpoint = ledger.endpoints.get(ep);
      if (!endpoint || endpoint.deletedAt !== undefined || endpoint.abandoned) continue;
      const now = () => ({ ...act, now: clock.now() });
      const what = people.int(10);
      if (what <= 2) {
        await world.insist(ports => pause(ports, ep, now()));
        await clock.sleep(people.int(HOUR_MS));
        await world.insist(ports => resume(ports, ep, now()));
      } else if (what <= 4) {
        await world.insist(ports => disable(ports, ep, now()));
        await clock.sleep(people.int(2 * HOUR_MS));
        const drop = people.chance(0.3);
        if (drop) endpoint.droppedBefore = clock.now() + 10 * MINUTE_MS;
        await world.insist(ports => enableEndpoint(ports, ep, now(), drop ? { kind: 'drop' } : { kind: 'drain' }));
      } else if (what === 5) await world.insist(ports => tryEndpoint(ports, ep, clock.now()));
      else if (what === 6 && ledger.endpoints.size > 10) {
        endpoint.deletedAt = Number.POSITIVE_INFINITY;
        await world.insist(ports =>
          deleteEndpoint(ports, endpoint.app, ep, { by: 'customer', why: 'simulated', ...world.rules }),
        );
        endpoint.deletedAt = clock.now();
        await addEndpoint(endpoint.app);
      } else if (what >= 7) {
        // What just came, or what came days ago.
        const known = [...ledger.acknowledged];
        const some = people.chance(0.5) ? known.slice(-500) : known;
        const mine = some.filter(([, { app, only }]) => app === endpoint.app && only === undefined);
        if (mine.length === 0) continue;
        const [msg] = people.pick(mine);
        const key = `${ep} ${msg}`;
        ledger.replays.set(key, (ledger.replays.get(key) ?? 0) + 1);
        const request = { ep, msg, requestId: `r-${clock.now()}`, by: 'simulated', now: people.chance(0.5) };
        await world.insist(ports => replayDelivery(ports, world.rules.retentionMs, request));
      }
    }
  };
  if (!calm) void meddle();
  const more = new MoreTroubles({ world, ledger, random: people.fork(), end, apps, all });
  more.start();

  // 5. Weather comes and goes; processes are killed; once the queues are purged.
  const sky = random.fork();
  const storms = async (): Promise<void> => {
    for (let n = 0; clock.now() < end; n++) {
      await clock.sleep(2 * HOUR_MS + sky.int(8 * HOUR_MS));
      if (clock.now() >= end) return;
      storm = true;
      await clock.sleep(MINUTE_MS + sky.int(10 * MINUTE_MS));
      storm = false;
      if (sky.chance(0.5)) {
        ledger.trouble(clock.now());
        for (const each of Object.values(world.functions)) each.killBusy();
      }
      if (n === 1) {
        ledger.trouble(clock.now());
        for (const queue of [world.jobs, world.fast, world.slow]) queue.purge();
      }
    }
  };
  if (!calm) void storms();
  let kills = 0;
  const killings = async (everyMs: number): Promise<void> => {
    for (;;) {
      await clock.sleep(everyMs);
      if (clock.now() >= end) return;
      ledger.trouble(clock.now());
      for (const each of Object.values(world.functions)) kills += each.killBusy();
    }
  };
  if (killEveryMs !== undefined) void killings(killEveryMs);
  await clock.advanceTo(end);

  // 6. It heals: gates open, what never recovers is deleted; then everything must end.
  healed = true;
  storm = false;
  await clock.advanceBy(3 * HOUR_MS);
  world.tending = 'unless idle';
  for (const [ep, endpoint] of ledger.endpoints) {
    if (endpoint.deletedAt !== undefined || endpoint.abandoned) continue;
    const act = { by: 'operator', why: 'the end', now: clock.now(), ...world.rules } as const;
    if (temperaments.get(ep)?.hopeless) {
      await clock.complete(world.insist(ports => deleteEndpoint(ports, endpoint.app, ep, act)));
      endpoint.deletedAt = clock.now();
      continue;
    }
    const { gate } = world.runtime(ep);
    if (gate === 'paused') await clock.complete(world.insist(ports => resume(ports, ep, act)));
    if (gate === 'disabled')
      await clock.complete(world.insist(ports => enableEndpoint(ports, ep, act, { kind: 'drain' })));
  }
  const complaints: string[] = [];
  const rested = await world.until(
    () => witness.open().length === 0 && world.isQuiet(),
    (abandoned ? retentionDays + 3 : 6) * DAY_MS,
    10 * MINUTE_MS,
  );
  if (!rested) complaints.push(`O2 ${witness.open().length} deliveries never end, e.g. ${witness.open()[0]}`);
  world.stop();
  const recordOf = (ep: EndpointId, msg: MessageId): RecordItem | undefined =>
    witness.deliveries.get(`${ep} ${msg}`)?.record;
  const ends = ledger.settle(recordOf);
  book.settle();
  complaints.push(...ledger.complaints, ...witness.complaints, ...book.complaints, ...(await more.settle()));
  const delays = ledger.firstDelays.toSorted((a, b) => a - b);
  const at = (share: number): number => delays[Math.floor(share * (delays.length - 1))] ?? 0;
  return {
    messages: ledger.acknowledged.size,
    deliveries: Object.values(ends).reduce((sum, n) => sum + n, 0),
    requests: ledger.requests,
    duplicates: ledger.duplicates,
    read: ledger.read,
    ends,
    checks: witness.checks,
    ...book.counted,
    disabled: world.telemetry.total('EndpointsDisabled'),
    firstDelayP50: at(0.5),
    firstDelayP99: at(0.99),
    mostRequestsOfTheDeadPerDay: Math.max(0, ...requestsOfTheDead.values()),
    troubles: ledger.troubles.length,
    kills,
    large: large.size,
    more: more.counts,
    complaints: [...new Set(complaints)],
  };
}
