/** Minutes that a world of days leaves out: `tend`, run all the same, writes its own lease there, and looks at no delivery. */
import { expect, it } from 'vitest';
import { TEND } from '#core/outbound/protocol/control-writes.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, noAnswer, OutboundWorld } from '#test/kit/outbound-world.ts';

/** Eight hours of failures, holds and an ordered endpoint: when each was asked, since when `tend` ran, and what it did when idle. */
async function eightHours(tending: OutboundWorld['tending']) {
  const did: string[] = [];
  const world = new OutboundWorld({
    // Checks that fall beside the hourly pass over the messages.
    auditMinutes: 7,
    ...{ waits: [60, 600, 7_200], publishes: 'direct', longPolling: true, idleMs: 10 * MINUTE_MS, steady: true },
    onChange: ({ after }) => void did.push(`${after?.['pk']} ${after?.['sk']}`),
    planOf: role => call => {
      if (role === 'tend' && call.name.endsWith('.send')) did.push(call.name);
      return undefined;
    },
    watchStore: (role, store) => {
      const query: typeof store.query = range => {
        if (role === 'tend' && range.table === 'outbox') did.push(range.partition);
        return store.query(range);
      };
      return new Proxy(store, { get: (at, name) => (name === 'query' ? query : Reflect.get(at, name, at).bind(at)) });
    },
  });
  const tend = world.tend.bind(world);
  const [idle, ran]: [string[], boolean[]] = [[], []];
  world.tend = async () => {
    const isIdle = world.tendIsIdle();
    did.length = 0;
    await tend();
    ran.push(isIdle);
    if (isIdle) idle.push(...did.filter(each => each !== `${TEND.pk} ${TEND.sk}`));
  };
  const app = await world.createApplication();
  for (const status of [200, 422, 500]) await world.createEndpoint(app, () => answered(status));
  await world.createEndpoint(app, () => answered(500), { ordered: true, headOfLineHours: 3 });
  await world.createEndpoint(app, () => noAnswer('connect'));
  world.tending = tending;
  world.start();
  for (let hour = 0; hour < 8; hour++) {
    if (hour % 3 === 0) await world.clock.complete(world.publish(app, `k${hour}`));
    await world.clock.advanceBy(HOUR_MS);
  }
  world.stop();
  const { value } = (await world.store.get(TEND, 'consistent')) ?? { value: '{}' };
  const requests = world.requests.map(({ url, startedAt }) => `${url} ${Math.round(startedAt / MINUTE_MS)}`);
  return { idle, ran, requests, since: JSON.parse(value).unbroken.since };
}

it('change nothing, and without them each endpoint is asked at the same times by a `tend` without a gap', async () => {
  const all = await eightHours(true);
  expect(all.idle).toEqual([]);
  expect(all.ran.filter(isIdle => isIdle).length).toBeGreaterThan(200);
  const some = await eightHours('unless idle');
  expect(some.ran.length).toBeLessThan(all.ran.length / 2);
  expect(some.since).toBe(all.since);
  expect(all.requests.length).toBeGreaterThan(50);
  expect(some.requests).toEqual(all.requests);
});
