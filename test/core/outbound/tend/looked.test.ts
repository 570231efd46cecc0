// Holds O2: a row whose wake-up was lost is found, though idle endpoints are not asked for their rows.
import { describe, expect, it } from 'vitest';
import { liveRow } from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { RuntimeItem } from '#core/outbound/protocol/items.ts';
import { controlKey, partOf, runtimeKey, wakeListed } from '#core/outbound/protocol/keys.ts';
import { audit, TURNS } from '#core/outbound/tend/audit.ts';
import { asksAll } from '#core/outbound/tend/looked.ts';
import { readSummary, SUMMARY } from '#core/outbound/tend/summary.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld, type OutboundWorldOptions } from '#test/kit/outbound-world.ts';

/** Nobody sends; `run` is minutes of tend. */
async function idleWorld(endpoints: number, given: OutboundWorldOptions = {}) {
  const world = new OutboundWorld({ publishes: 'direct', ...given });
  world.tending = false;
  const { clock } = world;
  const app = await world.createApplication();
  const eps: EndpointId[] = [];
  for (let n = 0; n < endpoints; n++) {
    eps.push(await world.createEndpoint(app, () => answered(200)));
    if (n % 50 === 49) await clock.advanceBy(1_000);
  }
  const run = async (minutes: number): Promise<void> => {
    for (let n = 0; n < minutes; n++) {
      const from = clock.now();
      await clock.complete(world.tend(), MINUTE_MS);
      await clock.advanceBy(Math.max(0, from + MINUTE_MS - clock.now()));
    }
  };
  /** A row that nobody noted. */
  const putRow = async (ep: EndpointId): Promise<void> => {
    const row = { ep, msg: 'msg_00000000000000000000000001' as MessageId, createdAt: clock.now() };
    await world.store.putMany('outbox', [liveRow(row, clock.now(), 30 * DAY_MS)]);
  };
  const readUnits = (): number => world.database.usage.get('outbox')?.readUnits ?? 0;
  const summary = async () => readSummary(await world.store.get(controlKey(SUMMARY), 'consistent'));
  return { world, clock, app, eps, run, putRow, readUnits, summary };
}
/** Until looks go by notes. */
const SETTLES = 90;

it('asks an idle endpoint for its rows once in six hours, and counts it in each look', async () => {
  const { run, readUnits, summary } = await idleWorld(72);
  await run(60);
  const before = readUnits();
  await run(10);
  const all = readUnits() - before;
  await run(SETTLES);
  const settled = readUnits();
  await run(6 * 60);
  const each = (readUnits() - settled) / 36;
  expect(all).toBeGreaterThanOrEqual(72);
  // Two of 72, the notes of three hours in four parts, and lists of messages.
  expect(each).toBeLessThan(2 + 12 + 3);
  expect(await summary()).toMatchObject({ endpoints: 72, waiting: 0 });
});

it('finds a wake-up that was lost by the note of its row, and again each time until it arrived', async () => {
  const { world, clock, app, run, summary } = await idleWorld(1);
  await run(SETTLES);
  await clock.complete(world.publish(app, 'k'), MINUTE_MS);
  world.fast.purge();
  await run(20);
  expect(world.telemetry.total('WakeLost')).toBeGreaterThan(0);
  // Hours later its note is long over; each wake-up was lost.
  for (let hour = 0; hour < 5; hour++) {
    world.fast.purge();
    await run(60);
    expect(world.fast.dump().length, `hour ${hour}`).toBeGreaterThan(0);
    expect(await summary()).toMatchObject({ waiting: 1 });
  }
});

it('finds within six hours what nobody noted', async () => {
  const { world, eps, run, putRow } = await idleWorld(3);
  await run(SETTLES);
  await putRow(eps[1] as EndpointId);
  await run(TURNS * 10 + 10);
  expect(world.telemetry.total('WakeLost')).toBeGreaterThan(0);
});

describe('asks all endpoints, in its next look', () => {
  it('after a version that made no notes, which had its last look a moment ago', async () => {
    const { world, clock, eps, run, putRow } = await idleWorld(3);
    await putRow(eps[0] as EndpointId);
    await clock.advanceBy(20 * MINUTE_MS);
    const value = JSON.stringify({ auditedAt: clock.now() - 9 * MINUTE_MS, withTraffic: 0, reconciledAt: clock.now() });
    await world.store.put({ kind: 'put', key: controlKey('tend'), item: { value, version: 7 } });
    await run(2);
    expect(world.telemetry.total('WakeLost')).toBe(1);
  });

  it('in the middle of a look of that version', async () => {
    const { world, clock, eps, run, putRow } = await idleWorld(3);
    for (const ep of eps) await putRow(ep);
    await clock.advanceBy(20 * MINUTE_MS);
    const page = await world.store.scan('registry', { segment: 0, of: 1 });
    const counts = {
      endpoints: 0,
      withTraffic: 0,
      onHold: 0,
      disabled: 0,
      paused: 0,
      died: 0,
      dead: 0,
      waiting: 0,
      lost: 0,
    };
    const auditPlace = { cursor: page.cursor ?? '', counts };
    const value = JSON.stringify({
      auditedAt: clock.now(),
      withTraffic: 0,
      reconciledAt: clock.now(),
      ...(page.cursor ? { auditPlace } : {}),
    });
    await world.store.put({ kind: 'put', key: controlKey('tend'), item: { value, version: 7 } });
    await run(22);
    expect(world.telemetry.total('WakeLost')).toBeGreaterThanOrEqual(3);
  });

  it('for an hour after tend was away', async () => {
    const { world, clock, eps, run, putRow } = await idleWorld(3);
    await run(SETTLES);
    await clock.advanceBy(20 * MINUTE_MS);
    await putRow(eps[2] as EndpointId);
    await clock.advanceBy(10 * MINUTE_MS);
    await run(1);
    expect(world.telemetry.total('WakeLost')).toBe(1);
    // An old release was at work meanwhile, and is still.
    world.fast.purge();
    await run(40);
    expect(world.telemetry.total('WakeLost')).toBeGreaterThan(3);
  });

  it('until a walk came to its end that began an hour after the first run; and where no look did for days', () => {
    const unbroken = { since: 100 * DAY_MS, at: 101 * DAY_MS };
    const known = { unbroken, lookedAt: 101 * DAY_MS };
    expect(asksAll({}, 0)).toBe(true);
    expect(asksAll({ ...known, walkedAt: unbroken.since + HOUR_MS - 1 }, 101 * DAY_MS)).toBe(true);
    expect(asksAll({ ...known, walkedAt: unbroken.since + HOUR_MS }, 101 * DAY_MS)).toBe(false);
    expect(asksAll({ ...known, walkedAt: unbroken.since + HOUR_MS }, 104 * DAY_MS)).toBe(true);
  });
});

it('goes on with a look that was cut off, by the same notes and with those that came since', async () => {
  let ms = 5;
  const processOf: OutboundWorldOptions['processOf'] = role =>
    role === 'tend' ? { latencyMs: () => ({ there: ms / 2, back: ms / 2 }), clientTimeoutMs: 10_000 } : {};
  const { world, clock, app, eps, run, putRow, summary } = await idleWorld(1_000, { processOf });
  await run(SETTLES);
  // For so many endpoints a job would put the rows; the note is there already.
  await clock.complete(world.publish(app, 'k'), MINUTE_MS);
  await putRow(eps.at(-1) as EndpointId);
  ms = 600;
  let places = 0;
  for (let n = 0; n < 40; n++) {
    await run(1);
    const there = await world.store.get(controlKey('tend'), 'consistent');
    const memory = JSON.parse(there?.value ?? '{}') as { auditPlace?: object; auditsAll?: boolean };
    if (memory.auditPlace && memory.auditsAll === false) places += 1;
  }
  expect(places).toBeGreaterThan(1);
  expect(await summary()).toMatchObject({ endpoints: 1_000 });
  expect(world.telemetry.total('WakeLost')).toBeGreaterThan(0);
});

describe('between notes, what the item of an endpoint shows', () => {
  it.each([
    ['nothing', {}, false],
    ['a lease that nobody gave back', { owner: 'dead', leaseUntil: 1 }, true],
    ['a wait', wakeListed('ep_x' as EndpointId, 1), true],
    ['a session that ended a while ago', { leftAt: -30 * MINUTE_MS }, true],
    ['a session that ended long ago', { leftAt: -2 * HOUR_MS }, false],
    ['a gate that was opened a while ago', { gateSince: -30 * MINUTE_MS }, true],
  ] as const)('%s', async (_, shows: Partial<RuntimeItem>, isAsked) => {
    const { world, clock, eps, putRow } = await idleWorld(1);
    const ep = eps[0] as EndpointId;
    await clock.advanceBy(5 * HOUR_MS);
    const ago = (at: number | undefined): number | undefined => at && (at < 0 ? clock.now() + at : at);
    const times = Object.entries(shows).map(([name, value]) => [name, typeof value === 'number' ? ago(value) : value]);
    await world.store.put({
      kind: 'put',
      key: runtimeKey(ep),
      item: { ...world.runtime(ep), ...Object.fromEntries(times) },
    });
    await putRow(ep);
    await clock.advanceBy(MINUTE_MS);
    const looked = { noted: new Set<string>(), since: clock.now() - HOUR_MS, turn: (partOf(ep, TURNS) + 1) % TURNS };
    const look = (more: Partial<typeof looked>) =>
      world.insist(ports =>
        audit(ports, 30 * DAY_MS, { place: undefined, until: clock.now() + MINUTE_MS, looked: { ...looked, ...more } }),
      );
    await clock.complete(look({}), MINUTE_MS);
    expect(world.fast.dump()).toHaveLength(isAsked ? 1 : 0);
    for (const more of [{ noted: new Set<string>([world.runtime(ep).app]) }, { turn: partOf(ep, TURNS) }]) {
      const before = world.fast.dump().length;
      await clock.complete(look(more), MINUTE_MS);
      expect(world.fast.dump()).toHaveLength(before + 1);
    }
  });
});
