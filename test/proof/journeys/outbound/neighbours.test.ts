/** Customers beside each other: what thirty endpoints of one do changes nothing of when the others are sent what. */
import { expect, it } from 'vitest';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, noAnswer, OutboundWorld, type Receiver } from '#test/kit/outbound-world.ts';

/** When five endpoints of two other customers were asked, of all kinds of failure, beside thirty that answer so. */
async function othersBeside(thirty: Receiver): Promise<Record<string, readonly number[]>> {
  const world = new OutboundWorld({
    ...{ waits: [60, 600, 1_800], publishes: 'direct', longPolling: true, idleMs: 10 * MINUTE_MS, steady: true },
  });
  const bad = await world.createApplication();
  for (let n = 0; n < 30; n++) await world.createEndpoint(bad, thirty);
  const kinds: Readonly<Record<string, Receiver>> = {
    503: () => answered(503),
    500: () => answered(500),
    422: () => answered(422),
    429: () => answered(429),
    silent: () => noAnswer('connect'),
  };
  const others = new Map<
    string,
    { readonly app: AppId; readonly ep: Awaited<ReturnType<typeof world.createEndpoint>> }
  >();
  for (const [name, receiver] of Object.entries(kinds)) {
    const app = await world.createApplication();
    others.set(name, { app, ep: await world.createEndpoint(app, receiver) });
  }
  world.start();
  const publish = async (app: AppId, key: string): Promise<void> => {
    const heard = await world.clock.complete(world.publish(app, key));
    if (heard.kind !== 'accepted') throw new Error(heard.detail);
  };
  const begun = world.clock.now();
  for (let n = 0; n < 6; n++) await publish(bad, `k${n}`);
  // The guard is judged each minute, and the others come after it.
  await world.clock.advanceTo(begun + 3 * MINUTE_MS + 500);
  for (const { app } of others.values()) await publish(app, 'k');
  await world.clock.advanceTo(begun + 2 * HOUR_MS);
  world.stop();
  const times = [...others].map(([name, { ep }]) => [
    name,
    world.requestsTo(ep).map(({ startedAt }) => startedAt - begun),
  ]);
  return Object.fromEntries(times);
}

it.each([
  ['answer 500', (): Receiver => () => answered(500)],
  ['are silent', (): Receiver => () => noAnswer('connect')],
])(
  'thirty endpoints of one customer that %s: every schedule of the others is the same to the millisecond',
  async (_, bad) => {
    const well = await othersBeside(() => answered(200));
    expect(Object.values(well).every(({ length }) => length >= 4)).toBe(true);
    expect(await othersBeside(bad())).toEqual(well);
  },
);
