/** Bodies in the bucket that are slow: what lies beside them goes out at once, and nobody asks again and again. */
import { expect, it } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { READ_BYTES } from '#core/outbound/drain/bodies/large-bodies.ts';
import { pause, resume } from '#core/outbound/gate/gate.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

const SLOW_MS = 20_000;
const random = new SeededRandom(1);
const noise = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(48 + Math.floor(random.next() * 74))).join('');
const filler = noise(200_000);
const large = (n: number) =>
  ({ kind: 'data', json: new TextEncoder().encode(JSON.stringify(`${n} ${filler}`)) }) as const;

/** Everything is published to a paused endpoint, which is opened then. The bucket takes `slowMs` for each body of `slow`. */
async function backlog(sizes: readonly ('small' | 'large' | 'slow')[], given: object = {}) {
  const world = new OutboundWorld({ publishes: 'direct', longPolling: true, idleMs: 5 * MINUTE_MS });
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, () => answered(200), given);
  const act = () => ({ by: 'operator', why: 'test', now: world.clock.now() }) as const;
  world.start();
  await world.clock.complete(world.insist(ports => pause(ports, ep, act())));
  const ids = { small: [] as MessageId[], large: [] as MessageId[], slow: [] as MessageId[] };
  for (const [n, size] of sizes.entries()) {
    const heard = await world.clock.complete(
      world.publish(app, `k${n}`, size === 'small' ? {} : { content: large(n) }),
    );
    if (heard.kind === 'accepted') ids[size].push(heard.id);
    await world.clock.advanceBy(10);
  }
  const seen = { bytes: 0, most: 0, queries: 0 };
  const get = world.blobs.get.bind(world.blobs);
  world.blobs.get = async (...args: Parameters<typeof get>) => {
    seen.bytes += filler.length;
    seen.most = Math.max(seen.most, seen.bytes);
    if (ids.slow.some(id => args[0].includes(id))) await world.clock.sleep(SLOW_MS);
    seen.bytes -= filler.length;
    return get(...args);
  };
  const { query } = world.store;
  world.store.query = async range => {
    seen.queries += 1;
    return query.call(world.store, range) as never;
  };
  const openedAt = world.clock.now();
  await world.clock.complete(world.insist(ports => resume(ports, ep, act())));
  const sentAfter = (all: readonly MessageId[]): readonly (number | undefined)[] =>
    all.map(id => world.requests.find(request => request.id === id)).map(sent => sent && sent.startedAt - openedAt);
  return { world, ep, ids, seen, sentAfter };
}

it('sends what is small, and what is large and quick, beside one body that takes twenty seconds', async () => {
  const sizes = ['slow', 'small', 'large', ...Array.from({ length: 20 }, () => 'small' as const)] as const;
  const { world, ids, seen, sentAfter } = await backlog(sizes, { maxConcurrency: 2 });
  await world.clock.advanceBy(MINUTE_MS);
  expect(Math.max(...sentAfter([...ids.small, ...ids.large]).map(ms => ms ?? Infinity))).toBeLessThan(3_000);
  expect(sentAfter(ids.slow)[0]).toBeGreaterThan(SLOW_MS);
  expect(sentAfter(ids.slow)[0]).toBeLessThan(SLOW_MS + 3_000);
  expect(world.requests).toHaveLength(sizes.length);
  // It waits for it, and does not ask all the time.
  expect(seen.queries).toBeLessThan(150);
  world.stop();
});

it('fetches thirty slow bodies within the room there is, and small ones pass them', async () => {
  const sizes = [
    ...Array.from({ length: 30 }, () => 'slow' as const),
    ...Array.from({ length: 30 }, () => 'small' as const),
  ];
  const { world, ids, seen, sentAfter } = await backlog(sizes, { maxConcurrency: 4 });
  await world.clock.advanceBy(10 * MINUTE_MS);
  expect(Math.max(...sentAfter(ids.small).map(ms => ms ?? Infinity))).toBeLessThan(10_000);
  expect(sentAfter(ids.slow).every(ms => ms !== undefined)).toBe(true);
  expect(world.requests).toHaveLength(60);
  expect(seen.most).toBeGreaterThan(READ_BYTES / 2);
  expect(seen.most).toBeLessThan(READ_BYTES + 300_000);
  world.stop();
});

it('keeps the order of an ordered endpoint, whatever its head takes', async () => {
  const { world, ids, sentAfter } = await backlog(['slow', 'small', 'small'], { ordered: true });
  await world.clock.advanceBy(2 * MINUTE_MS);
  const times = sentAfter([...ids.slow, ...ids.small]).map(ms => ms ?? Infinity);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThan(SLOW_MS);
  world.stop();
});
