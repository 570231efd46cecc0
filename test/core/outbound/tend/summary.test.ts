import { expect, it } from 'vitest';
import { pause } from '#core/outbound/gate/gate.ts';
import { controlKey } from '#core/outbound/protocol/keys.ts';
import { deleteEndpoint } from '#core/outbound/registry/endpoints.ts';
import { replayDelivery } from '#core/outbound/replay/replay-delivery.ts';
import { readSummary, SUMMARY } from '#core/outbound/tend/summary.ts';
import { MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

it('says how all endpoints were at the last audit', async () => {
  const world = new OutboundWorld({ waits: [1], idleMs: 500, auditMinutes: 1 });
  const { clock, store } = world;
  const summary = async () => readSummary(await store.get(controlKey(SUMMARY), 'consistent'));
  expect(await summary()).toBeUndefined();
  const app = await world.createApplication();
  await world.createEndpoint(app, () => answered(200));
  let refuses = true;
  const refusing = await world.createEndpoint(app, () => answered(refuses ? 422 : 200));
  await world.createEndpoint(app, () => answered(429, { 'retry-after': ['7200'] }));
  const closed = await world.createEndpoint(app, () => answered(200));
  await clock.complete(world.insist(ports => pause(ports, closed, { by: 'operator', why: 'test', now: clock.now() })));
  world.start();
  const heard = await clock.complete(world.publish(app, 'k'));
  const publishedAt = clock.now();
  await clock.advanceBy(10 * MINUTE_MS);
  const seen = await summary();
  expect(seen).toMatchObject({ endpoints: 4, onHold: 1, failing: 1, paused: 1, disabled: 0, died: 1, dead: 1 });
  expect(Math.abs((seen?.oldestWaiting ?? 0) - publishedAt)).toBeLessThan(5_000);
  expect(clock.now() - (seen?.at ?? 0)).toBeLessThan(3 * MINUTE_MS);
  // What was replayed and arrived is dead no more; it did die.
  refuses = false;
  const dead = { ep: refusing, msg: heard.kind === 'accepted' ? heard.id : ('' as never), requestId: 'r', by: 'test' };
  await clock.complete(world.insist(ports => replayDelivery(ports, world.rules.retentionMs, dead)));
  await clock.advanceBy(10 * MINUTE_MS);
  expect(await summary()).toMatchObject({ died: 1, dead: 0 });
  // Its record is kept for a while.
  const removal = { by: 'customer', why: 'test', retentionMs: world.rules.retentionMs } as const;
  await clock.complete(world.insist(ports => deleteEndpoint(ports, app, refusing, removal)));
  await clock.advanceBy(10 * MINUTE_MS);
  expect(await summary()).toMatchObject({ endpoints: 3, failing: 0, died: 1 });
  world.stop();
});
