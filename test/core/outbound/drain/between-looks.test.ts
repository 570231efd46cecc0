/** What people do between two looks of a session: within two seconds nothing goes where it should not, and nothing is lost. */
import { expect, it } from 'vitest';
import { pause, resume } from '#core/outbound/gate/gate.ts';
import type { Answer } from '#core/outbound/ports.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { changeEndpoint, deleteEndpoint } from '#core/outbound/registry/endpoints.ts';
import { MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

const MOVED = 'https://moved.example.com/in';
const CALLS = 40;

/** Forty messages go one by one to a receiver that takes 150 ms; after `ms` somebody does something. */
async function session(ms: number, act: (it: Awaited<ReturnType<typeof begun>>) => Promise<unknown>) {
  const it = await begun();
  const { world, open } = it;
  await open();
  await world.until(() => world.requests.length > 0, MINUTE_MS, 10);
  await world.clock.advanceBy(ms);
  await act(it);
  return { ...it, actedAt: world.clock.now() };
}

async function begun() {
  const world = new OutboundWorld({ waits: [5, 60], idleMs: 500, publishes: 'direct', longPolling: true });
  const app = await world.createApplication();
  const slow = () => new Promise<Answer>(resolve => void world.clock.after(150, () => resolve(answered(200))));
  const ep = await world.createEndpoint(app, slow, { maxConcurrency: 1 });
  world.receivers.set(MOVED, slow);
  const gate = () => ({ by: 'operator', why: 'test', now: world.clock.now() }) as const;
  const close = () => world.clock.complete(world.insist(ports => pause(ports, ep, gate())));
  const open = () => world.clock.complete(world.insist(ports => resume(ports, ep, gate())));
  world.start();
  await close();
  const all: MessageId[] = [];
  for (let n = 0; n < CALLS; n++) {
    const heard = await world.clock.complete(world.publish(app, `k${n}`));
    if (heard.kind === 'accepted') all.push(heard.id);
  }
  const ends = () => all.map(msg => world.record(ep, world.message(msg))?.status);
  return { world, app, ep, all, close, open, ends };
}

/** Just after a look, between two, just before one. */
const MOMENTS = [10, 700, 1_400, 1_950] as const;

it.each(MOMENTS)(
  'paused %i ms after the first request: nothing begins later than two seconds on, the rest waits',
  async ms => {
    const { world, actedAt, open, ends } = await session(ms, it => it.close());
    await world.clock.advanceBy(MINUTE_MS);
    const begunAt = world.requests.map(({ startedAt }) => startedAt);
    expect(Math.max(...begunAt)).toBeLessThanOrEqual(actedAt + 2_000);
    expect(begunAt.length).toBeLessThan(CALLS);
    await open();
    await world.until(() => ends().every(end => end === 'delivered'), 5 * MINUTE_MS);
    expect(world.requests.map(({ id }) => id).sort()).toEqual([...new Set(world.requests.map(({ id }) => id))].sort());
    expect(world.requests).toHaveLength(CALLS);
    world.stop();
  },
);

it.each(MOMENTS)(
  'deleted %i ms after the first request: nothing begins later than two seconds on, the rest is canceled',
  async ms => {
    const { world, actedAt, ends } = await session(ms, ({ world: at, app, ep }) =>
      at.clock.complete(
        at.insist(ports => deleteEndpoint(ports, app, ep, { by: 'customer', why: 'test', ...at.rules })),
      ),
    );
    await world.until(() => ends().every(end => end !== undefined), 10 * MINUTE_MS);
    expect(Math.max(...world.requests.map(({ startedAt }) => startedAt))).toBeLessThanOrEqual(actedAt + 2_000);
    expect(ends().filter(end => end === 'delivered')).toHaveLength(world.requests.length);
    expect(ends().filter(end => end === 'canceled')).toHaveLength(CALLS - world.requests.length);
    world.stop();
  },
);

it.each(MOMENTS)(
  'moved %i ms after the first request: nothing goes to the old address later than two seconds on',
  async ms => {
    const { world, actedAt, ep, ends } = await session(ms, ({ world: at, app, ep: moved }) =>
      at.clock.complete(at.insist(ports => changeEndpoint(ports, app, moved, { fields: { url: MOVED } }))),
    );
    const old = world.endpoints.get(ep)?.url;
    await world.until(() => ends().every(end => end === 'delivered'), 5 * MINUTE_MS);
    const late = world.requests.filter(({ startedAt }) => startedAt > actedAt + 2_000);
    expect(late.length).toBeGreaterThan(0);
    expect(late.filter(({ url }) => url === old)).toEqual([]);
    expect(world.requests).toHaveLength(CALLS);
    world.stop();
  },
);
