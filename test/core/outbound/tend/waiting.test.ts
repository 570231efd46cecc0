/** What waits and could go, over all endpoints: not what a customer's server, gate or schedule holds back. */
import { expect, it } from 'vitest';
import { pause } from '#core/outbound/gate/gate.ts';
import { runtimeKey } from '#core/outbound/protocol/keys.ts';
import { MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

it('counts first attempts at endpoints that could be asked, once the oldest has waited for five minutes', async () => {
  const world = new OutboundWorld({ publishes: 'direct', auditMinutes: 1 });
  const { clock, store } = world;
  const app = await world.createApplication();
  const channels = ['open', 'late', 'held', 'paused'];
  const [, , held, paused] = await Promise.all(
    channels.map(name => world.createEndpoint(app, () => answered(200), { channels: [name] })),
  );
  if (held === undefined || paused === undefined) throw new Error('no endpoints');
  const publish = async (name: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n++)
      await clock.complete(world.publish(app, `${name}-${n}-${clock.now()}`, { channels: [name] }));
  };
  const audited = async (): Promise<number | undefined> => {
    await clock.advanceBy(MINUTE_MS);
    await clock.complete(world.tend());
    return world.telemetry.measures.filter(({ metric }) => metric === 'DeliveriesWaiting').at(-1)?.value;
  };
  expect(await audited()).toBe(0);
  // Nobody sends.
  for (const name of ['open', 'held', 'paused']) await publish(name, 7);
  await clock.complete(world.insist(ports => pause(ports, paused, { by: 'operator', why: 'test', now: clock.now() })));
  const holds = { ...world.runtime(held), holdUntil: clock.now() + 30 * MINUTE_MS };
  await store.put({ kind: 'put', key: runtimeKey(held), item: holds });
  expect(await audited()).toBe(0);
  await clock.advanceBy(5 * MINUTE_MS);
  await publish('late', 3);
  expect(await audited()).toBe(7);
  // Those of the late one are old enough as well now.
  await clock.advanceBy(5 * MINUTE_MS);
  expect(await audited()).toBe(10);
  world.start();
  await clock.advanceBy(5 * MINUTE_MS);
  expect(await audited()).toBe(0);
  world.stop();
});
