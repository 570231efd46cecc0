/** Retries that wait for minutes come when they are due, spread as they were drawn: not all in one second of each minute. */
import { expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

const ENDPOINTS = 500;

it('puts at most a twentieth of a minute of retries into one second: 500 endpoints that refused once', async () => {
  // 1. Each refuses every message once; all are tried again after seven minutes, 20 % more or less.
  const world = new OutboundWorld({ waits: [420], publishes: 'job', longPolling: true, auditMinutes: 1_000 });
  const app = await world.createApplication();
  const asked = new Set<string>();
  const refusesOnce = ({ url, id }: { url: string; id: string }) => {
    const again = asked.has(url + id);
    asked.add(url + id);
    return answered(again ? 200 : 422);
  };
  for (let n = 0; n < ENDPOINTS; n++) await world.createEndpoint(app, refusesOnce);
  world.start();
  for (const key of ['one', 'two', 'three']) {
    await world.clock.complete(world.publish(app, key));
    await world.clock.advanceBy(80_000);
  }
  await world.clock.advanceBy(10 * MINUTE_MS);

  // 2. When each was asked again.
  const retries = world.requests.filter(({ answer }) => answer?.kind === 'answered' && answer.status === 200);
  expect(retries).toHaveLength(3 * ENDPOINTS);
  const perSecond = new Map<number, number>();
  for (const { startedAt } of retries) {
    const second = Math.floor(startedAt / 1_000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  // 3. In each minute of the clock.
  const minutes = Map.groupBy(perSecond, ([second]) => Math.floor(second / 60));
  const shares = [...minutes.values()].flatMap(seconds => {
    const counts = seconds.map(([, count]) => count);
    const all = counts.reduce((sum, count) => sum + count, 0);
    return all >= 200 ? [Math.max(...counts) / all] : [];
  });
  expect(shares.length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...shares)).toBeLessThanOrEqual(0.05);
  world.stop();
}, 60_000);

it('wakes a single endpoint whose time came while nobody tended, before any audit', async () => {
  const world = new OutboundWorld({ waits: [420], publishes: 'job', longPolling: true, auditMinutes: 1_000 });
  const app = await world.createApplication();
  await world.createEndpoint(app, () => answered(world.requests.length > 1 ? 200 : 422));
  world.start();
  await world.clock.complete(world.publish(app, 'one'));
  await world.clock.advanceBy(MINUTE_MS);
  world.tending = false;
  await world.clock.advanceBy(20 * MINUTE_MS);
  expect(world.requests).toHaveLength(1);
  world.tending = true;
  await world.clock.advanceBy(2 * MINUTE_MS);
  world.stop();
  expect(world.requests).toHaveLength(2);
});
