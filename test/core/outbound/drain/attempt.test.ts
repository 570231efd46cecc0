/** What an attempt counts: the numbers that alarms and the dashboard are made of. */
import { expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

async function sent(count: number, statusOf: (n: number) => number) {
  const world = new OutboundWorld({ waits: [5, 60], publishes: 'direct', idleMs: 500 });
  world.start();
  const app = await world.createApplication();
  let n = 0;
  const ep = await world.createEndpoint(app, () => answered(statusOf(n++)));
  for (let key = 0; key < count; key++) await world.clock.complete(world.publish(app, `k${key}`), MINUTE_MS);
  return { world, ep };
}

it('holds an endpoint that only fails, and none that does well', async () => {
  const healthy = await sent(5, () => 200);
  await healthy.world.clock.advanceBy(5 * MINUTE_MS);
  healthy.world.stop();
  expect(healthy.world.requestsTo(healthy.ep)).toHaveLength(5);
  expect(healthy.world.runtime(healthy.ep).opens).toBe(0);

  const broken = await sent(40, () => 500);
  await broken.world.clock.advanceBy(30 * MINUTE_MS);
  broken.world.stop();
  expect(broken.world.runtime(broken.ep).opens).toBeGreaterThan(3);
  expect(broken.world.requestsTo(broken.ep).length).toBeGreaterThan(10);
});
