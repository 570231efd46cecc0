/** One message at fault, or its endpoint: what a month of failures charges, kills and disables. */
import { expect, it } from 'vitest';
import { exists } from '#core/condition.ts';
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import { DISABLES, SCHEDULES } from '#core/outbound/drain/schedule.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import type { AttemptItem } from '#core/outbound/protocol/items.ts';
import { controlKey, runtimeKey } from '#core/outbound/protocol/keys.ts';
import type { NewEndpoint } from '#core/outbound/registry/endpoints.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import {
  answered,
  noAnswer,
  OutboundWorld,
  type OutboundWorldOptions,
  type Receiver,
} from '#test/kit/outbound-world.ts';

/** Days of quiet queues: they are looked at when something comes. */
const LONG = { idleMs: 10 * MINUTE_MS, longPolling: true } as const;

async function withEndpoint(receiver: Receiver, given: Partial<NewEndpoint> = {}, options: OutboundWorldOptions = {}) {
  const world = new OutboundWorld({ waits: SCHEDULES.standard, publishes: 'direct', ...LONG, ...options });
  world.tending = 'unless idle';
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, receiver, given);
  const publish = async (key: string, to = app): Promise<MessageId> => {
    const heard = await world.clock.complete(world.publish(to, key));
    if (heard.kind !== 'accepted') throw new Error(heard.detail);
    return heard.id;
  };
  const recordOf = (msg: MessageId) => world.record(ep, world.message(msg));
  world.start();
  return { world, app, ep, publish, recordOf };
}

it('runs the whole schedule of one bad message at a quiet endpoint, which stays open', async () => {
  const it = await withEndpoint(() => answered(500));
  const { world, ep, publish, recordOf } = it;
  const begun = world.clock.now();
  const msg = await publish('poison');
  await world.until(() => recordOf(msg)?.status === 'dead', 5 * DAY_MS, MINUTE_MS);
  expect(recordOf(msg)).toMatchObject({ status: 'dead', attempts: 10 });
  expect(world.requestsTo(ep)).toHaveLength(10);
  expect(Math.abs(world.clock.now() - begun - 75.6 * HOUR_MS)).toBeLessThan(0.21 * 75.6 * HOUR_MS);
  // Its only failures began more days ago than disable an endpoint.
  await world.clock.advanceTo(begun + 5 * DAY_MS + HOUR_MS);
  expect(world.runtime(ep)).toMatchObject({ gate: 'open', opens: 0 });
  const last = world.items<AttemptItem>('outbox', `T#${ep}#`).at(-1);
  expect(last).toMatchObject({ class: 'server_error', fault: 'ambiguous', othersOk: 0 });
  world.stop();
});

it('gives up the head of an ordered endpoint after its hours, and goes on with the next', async () => {
  let first: MessageId | undefined;
  const it = await withEndpoint(({ id }) => answered(id === first ? 500 : 200), { ordered: true, headOfLineHours: 3 });
  const { world, ep, publish, recordOf } = it;
  const begun = world.clock.now();
  first = await publish('first');
  const second = await publish('second');
  await world.until(() => recordOf(second)?.status === 'delivered', 4 * DAY_MS, MINUTE_MS);
  expect(recordOf(second)?.status).toBe('delivered');
  expect(recordOf(first)).toMatchObject({ status: 'dead' });
  expect(world.clock.now() - begun).toBeLessThan(3 * HOUR_MS + 10 * MINUTE_MS);
  expect(world.runtime(ep).gate).toBe('open');
  world.stop();
});

it('does not count hours in which an ordered endpoint did not answer', async () => {
  let first: MessageId | undefined;
  let silent = false;
  const it = await withEndpoint(({ id }) => (silent ? noAnswer('connect') : answered(id === first ? 500 : 200)), {
    ordered: true,
    headOfLineHours: 3,
  });
  const { world, publish, recordOf } = it;
  first = await publish('first');
  const second = await publish('second');
  await world.clock.advanceBy(40 * MINUTE_MS);
  silent = true;
  await world.clock.advanceBy(48 * HOUR_MS);
  expect(recordOf(first)?.status).toBe('retrying');
  silent = false;
  await world.clock.advanceBy(20 * MINUTE_MS);
  expect(recordOf(first)?.status).toBe('retrying');
  await world.until(() => recordOf(second)?.status === 'delivered', DAY_MS, MINUTE_MS);
  expect(recordOf(first)?.status).toBe('dead');
  world.stop();
});

it('opens at five failures in a row where one request at a time is allowed, too', async () => {
  let requests = 0;
  const it = await withEndpoint(() => answered(++requests === 1 ? 502 : 200), { maxConcurrency: 1 });
  const { world, ep, publish, recordOf } = it;
  const all: MessageId[] = [];
  for (const key of ['a', 'b', 'c', 'd', 'e']) all.push(await publish(key));
  await world.clock.advanceBy(8_000);
  expect(all.map(msg => recordOf(msg)?.status)).toEqual(all.map(() => 'delivered'));
  expect(world.runtime(ep).holdUntil).toBeUndefined();
  world.stop();
});

it.each([2, 5, 1_000])(
  'kills none of %i messages of an endpoint that answers 500 for four days',
  async count => {
    let fails = true;
    const it = await withEndpoint(() => answered(fails ? 500 : 200), {}, { keepRequests: false });
    const { world, ep, publish, recordOf } = it;
    const all: MessageId[] = [];
    for (let n = 0; n < count; n++) all.push(await publish(`k${n}`));
    await world.clock.advanceBy(4 * DAY_MS);
    expect(world.runtime(ep)).toMatchObject({ gate: 'open' });
    fails = false;
    await world.until(() => all.every(msg => recordOf(msg)?.status === 'delivered'), DAY_MS, MINUTE_MS);
    const ends = all.map(msg => recordOf(msg)?.status);
    expect(ends.filter(status => status !== 'delivered')).toEqual([]);
    world.stop();
  },
  60_000,
);

it('kills only heads older than their hours at an ordered endpoint that answers 500 for four days, and names each', async () => {
  let fails = true;
  const it = await withEndpoint(() => answered(fails ? 500 : 200), { ordered: true, autoDisableDays: false });
  const { world, ep, publish, recordOf } = it;
  const all: MessageId[] = [];
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) all.push(await publish(key));
  // Those of one millisecond go by their ids.
  all.sort();
  await world.clock.advanceBy(4 * DAY_MS);
  fails = false;
  await world.until(
    () => all.every(msg => ['delivered', 'dead'].includes(recordOf(msg)?.status ?? '')),
    DAY_MS,
    MINUTE_MS,
  );
  const dead = all.filter(msg => recordOf(msg)?.status === 'dead');
  expect(all.map(msg => recordOf(msg)?.status).join(' ')).toMatch(/^(dead ){3,4}(delivered ?){2,3}$/);
  for (const msg of dead) {
    const { endedAt = 0, headMs = 0 } = recordOf(msg) ?? {};
    expect(headMs).toBeGreaterThanOrEqual(24 * HOUR_MS - 1);
    expect(endedAt).toBeGreaterThan(0);
  }
  expect(world.runtime(ep).dead).toBe(dead.length);
  world.stop();
});

it('disables an endpoint that answers 500 to all its messages for days, and not one whose others succeed', async () => {
  const bad = await withEndpoint(() => answered(500));
  await bad.publish('a');
  await bad.publish('b');
  await bad.world.clock.advanceBy(6 * DAY_MS);
  expect(bad.world.runtime(bad.ep)).toMatchObject({ gate: 'disabled', gateWhy: 'failing' });
  bad.world.stop();
  let poison: MessageId | undefined;
  const good = await withEndpoint(({ id }) => answered(id === poison ? 500 : 200));
  poison = await good.publish('poison');
  for (let day = 0; day < 6; day++) {
    await good.publish(`day ${day}`);
    await good.world.clock.advanceBy(DAY_MS);
  }
  expect(good.world.runtime(good.ep)).toMatchObject({ gate: 'open', opens: 0 });
  const last = good.world.items<AttemptItem>('outbox', `T#${good.ep}#`).at(-1);
  expect(last?.othersOk).toBeGreaterThan(2);
  good.world.stop();
});

it('is charged as a trial request where the answer is about the message', async () => {
  const it = await withEndpoint(() => answered(422), {}, { waits: [60, 60] });
  const { world, ep, publish, recordOf } = it;
  await world.store.update({ kind: 'update', key: runtimeKey(ep), condition: exists('pk'), set: { opens: 1 } });
  const msg = await publish('refused');
  await world.until(() => recordOf(msg)?.status === 'dead', HOUR_MS);
  expect(recordOf(msg)).toMatchObject({ status: 'dead', attempts: 3 });
  world.stop();
});

it('keeps the schedule of an answered failure while the guard is on, and lets a silent one wait 30 s, doubled', async () => {
  const it = await withEndpoint(() => answered(500), {}, { waits: [600] });
  const { world, app, ep, publish, recordOf } = it;
  const silent = await world.createEndpoint(app, () => noAnswer('connect'));
  const until = world.clock.now() + DAY_MS;
  await world.store.put({ kind: 'put', key: controlKey(EGRESS), item: { value: '{}', version: 1, until } });
  const msg = await publish('k');
  await world.clock.advanceBy(3 * MINUTE_MS);
  expect(world.requestsTo(ep)).toHaveLength(1);
  expect(recordOf(msg)).toMatchObject({ attempts: 1, status: 'retrying' });
  const times = world.requestsTo(silent).map(({ startedAt }) => startedAt);
  expect(times).toHaveLength(3);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(24_000);
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(48_000);
  expect(world.record(silent, world.message(msg))?.attempts).toBeUndefined();
  const log = world.items<AttemptItem>('outbox', `T#${silent}#`);
  expect(log.map(({ spared }) => spared)).toEqual(['egress', 'egress', 'egress']);
  world.stop();
});

it('disables by a rate of failures, an hour after its owner was told, and not for one message', async () => {
  const breaker = { hold: { baseSeconds: 30, capSeconds: 900 }, disableAt: DISABLES['nineteen-of-twenty'] };
  const never = { breaker, autoDisableDays: 30 };
  const bad = await withEndpoint(() => noAnswer('connect'), {}, never);
  const ops = await bad.world.clock.complete(bad.world.createApplication({ uid: 'operations' }));
  const told = await bad.world.clock.complete(bad.world.createEndpoint(ops, () => answered(200)));
  for (const key of ['a', 'b', 'c']) await bad.publish(key);
  await bad.world.until(() => bad.world.runtime(bad.ep).gate === 'disabled', 2 * DAY_MS, MINUTE_MS);
  expect(bad.world.runtime(bad.ep)).toMatchObject({ gate: 'disabled', gateWhy: 'failure_rate' });
  const { gateSince } = bad.world.runtime(bad.ep);
  const warnings = bad.world
    .requestsTo(told)
    .filter(({ body }) => new TextDecoder().decode(body).includes('failure_rate'))
    .map(({ body, startedAt }) => [JSON.parse(new TextDecoder().decode(body)).type, startedAt] as const);
  expect(warnings[0]?.[0]).toBe('endpoint.disable_warning');
  expect(warnings[0]?.[1]).toBeLessThanOrEqual(gateSince - 59 * MINUTE_MS);
  bad.world.stop();
  const one = await withEndpoint(() => answered(500), {}, { ...never, waits: Array(20).fill(600) });
  await one.publish('poison');
  await one.world.clock.advanceBy(2 * DAY_MS);
  expect(one.world.runtime(one.ep)).toMatchObject({ gate: 'open' });
  one.world.stop();
});
