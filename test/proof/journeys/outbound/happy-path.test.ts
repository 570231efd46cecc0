import { expect, test } from 'vitest';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, noAnswer, OutboundWorld } from '#test/kit/outbound-world.ts';

test('a message reaches every endpoint that matches, once, with its bytes', async () => {
  const world = new OutboundWorld();
  world.start();
  const app = await world.createApplication();
  const eps: EndpointId[] = [];
  for (let at = 0; at < 3; at++) eps.push(await world.createEndpoint(app, () => answered(200, {}, 'ok')));
  const other = await world.createEndpoint(app, () => answered(200), { types: ['user.*'] });
  const heard = await world.clock.complete(world.publish(app, 'k1'));
  if (heard.kind !== 'accepted') throw new Error('refused');
  await world.until(() => world.isQuiet(), 60_000);
  const message = world.message(heard.id);
  for (const ep of eps) {
    expect(world.record(ep, message)).toMatchObject({ status: 'delivered', gen: 1, type: 'invoice.paid' });
    expect(world.requestsTo(ep)).toHaveLength(1);
    expect(world.rows(ep)).toEqual([]);
    const body = JSON.parse(new TextDecoder().decode(world.requestsTo(ep)[0]?.body));
    expect(body).toMatchObject({ id: heard.id, type: 'invoice.paid', data: { amount: 1 } });
  }
  expect(world.requestsTo(other)).toEqual([]);
  world.stop();
});

test('a failure is tried again by the schedule, and the last one is dead', async () => {
  const world = new OutboundWorld({ waits: [5, 60] });
  world.start();
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, ({ id }) => answered(id.length > 0 ? 422 : 200));
  const heard = await world.clock.complete(world.publish(app, 'k1'));
  if (heard.kind !== 'accepted') throw new Error('refused');
  const message = world.message(heard.id);
  expect(await world.until(() => world.record(ep, message)?.status === 'dead', 10 * MINUTE_MS)).toBe(true);
  expect(world.record(ep, message)).toMatchObject({ status: 'dead', attempts: 3, gpk: `X#${ep}` });
  const times = world.requestsTo(ep).map(({ startedAt }) => startedAt);
  expect(times).toHaveLength(3);
  const [first = 0, second = 0, third = 0] = times;
  expect(second - first).toBeGreaterThanOrEqual(4_000);
  expect(third - second).toBeGreaterThanOrEqual(48_000);
  world.stop();
});

test('an endpoint that hangs is held, probed, and drained when it comes back', async () => {
  const world = new OutboundWorld({ waits: [5, 60] });
  world.start();
  let up = false;
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, () => (up ? answered(200) : new Promise(() => {})));
  const ids: MessageId[] = [];
  for (let at = 0; at < 12; at++) {
    const heard = await world.clock.complete(world.publish(app, `k${at}`));
    if (heard.kind === 'accepted') ids.push(heard.id);
  }
  await world.until(() => world.runtime(ep).opens >= 3, 10 * MINUTE_MS);
  expect(world.runtime(ep).opens).toBeGreaterThanOrEqual(3);
  expect(world.requestsTo(ep).length).toBeLessThanOrEqual(5 + 3);
  up = true;
  const done = () => ids.every(id => world.record(ep, world.message(id))?.status === 'delivered');
  expect(await world.until(done, 30 * MINUTE_MS)).toBe(true);
  expect(world.runtime(ep)).toMatchObject({ opens: 0 });
  world.stop();
});

test('no answer is a failure, a throttled one a hold that charges nothing', async () => {
  const world = new OutboundWorld({ waits: [5, 60] });
  world.start();
  const app = await world.createApplication();
  let n = 0;
  const ep = await world.createEndpoint(app, () => {
    n += 1;
    if (n === 1) return noAnswer('reset');
    return n < 4 ? answered(429, { 'retry-after': ['20'] }) : answered(200);
  });
  const heard = await world.clock.complete(world.publish(app, 'k1'));
  if (heard.kind !== 'accepted') throw new Error('refused');
  const message = world.message(heard.id);
  expect(await world.until(() => world.record(ep, message)?.status === 'delivered', 20 * MINUTE_MS)).toBe(true);
  expect(world.record(ep, message)).toMatchObject({ attempts: 1 });
  world.stop();
});

test('a message that is refused for good does not keep the breaker open: each trial request takes another', async () => {
  const world = new OutboundWorld({ waits: [5, 60] });
  world.start();
  let up = false;
  const poison = new Set<string>();
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, ({ id }) => answered(poison.has(id) ? 422 : up ? 200 : 500));
  const ids: MessageId[] = [];
  for (let at = 0; at < 12; at++) {
    const heard = await world.clock.complete(world.publish(app, `k${at}`));
    if (heard.kind === 'accepted') ids.push(heard.id);
  }
  await world.until(() => world.runtime(ep).opens >= 1, 10 * MINUTE_MS);
  // It recovers, but whatever its next trial request would take is refused, and the seven behind that too.
  up = true;
  for (const id of ids.slice(0, 8)) poison.add(id);
  const good = ids.slice(8);
  const done = () => good.every(id => world.record(ep, world.message(id))?.status === 'delivered');
  expect(await world.until(done, HOUR_MS), 'the good ones wait behind a refused one').toBe(true);
  world.stop();
});
