/** One damaged body among ten, and a backlog behind a shut gate: neither costs its neighbours anything. */
import { expect, it } from 'vitest';
import { pause, resume } from '#core/outbound/gate/gate.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { messageKey } from '#core/outbound/protocol/keys.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

it('delivers the nine others at once, lets the damaged one wait by itself, and gives it up after a day', async () => {
  const world = new OutboundWorld({ publishes: 'direct', longPolling: true, idleMs: 5 * MINUTE_MS });
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, () => answered(200));
  const act = () => ({ by: 'operator', why: 'test', now: world.clock.now() }) as const;
  world.start();
  await world.clock.complete(world.insist(ports => pause(ports, ep, act())));
  const all: MessageId[] = [];
  for (let n = 0; n < 10; n++) {
    const heard = await world.clock.complete(world.publish(app, `k${n}`));
    if (heard.kind === 'accepted') all.push(heard.id);
  }
  all.sort();
  const damaged = all[0] as MessageId;
  await world.store.put({
    kind: 'put',
    key: messageKey(damaged),
    item: { ...world.message(damaged), body: new Uint8Array([1, 2, 3]) },
  });
  await world.clock.complete(world.insist(ports => resume(ports, ep, act())));
  const statusOf = (msg: MessageId) => world.record(ep, world.message(msg))?.status;
  await world.clock.advanceBy(MINUTE_MS);
  expect(all.slice(1).map(statusOf)).toEqual(all.slice(1).map(() => 'delivered'));
  expect(world.record(ep, world.message(damaged))).toMatchObject({
    status: 'retrying',
    last: { class: 'body_unreadable' },
  });
  await world.until(() => statusOf(damaged) === 'dead', 2 * DAY_MS, 5 * MINUTE_MS);
  const record = world.record(ep, world.message(damaged));
  expect(record).toMatchObject({ status: 'dead', last: { class: 'body_unreadable' } });
  expect(record?.attempts).toBeUndefined();
  expect((record?.endedAt ?? 0) - (record?.unreadableAt ?? 0)).toBeGreaterThanOrEqual(DAY_MS);
  expect(world.requestsTo(ep)).toHaveLength(9);
  world.stop();
}, 60_000);

it('reads each row of a paused backlog about once while it ends', async () => {
  const world = new OutboundWorld({
    publishes: 'direct',
    longPolling: true,
    idleMs: 5 * MINUTE_MS,
    retentionMs: DAY_MS,
  });
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, () => answered(200));
  world.start();
  const act = { by: 'operator', why: 'test', now: world.clock.now() } as const;
  await world.clock.complete(world.insist(ports => pause(ports, ep, act)));
  for (let n = 0; n < 600; n++) {
    await world.clock.complete(world.publish(app, `k${n}`));
    await world.clock.advanceBy(10_000);
  }
  let read = 0;
  const { query } = world.store;
  world.store.query = async range => {
    const page = await query.call(world.store, range);
    if (range.partition === `Q#${ep}`) read += page.items.length;
    return page as never;
  };
  await world.until(() => world.rows(ep).length === 0, 2 * DAY_MS, 5 * MINUTE_MS);
  expect(world.rows(ep)).toEqual([]);
  expect(read).toBeGreaterThan(0);
  expect(read / 600).toBeLessThan(5);
  world.stop();
}, 60_000);
