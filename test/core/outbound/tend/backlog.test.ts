/** How many wait at one endpoint: exact while they are few, and near enough above that; told at each level. */
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import { liveRow } from '#core/outbound/protocol/delivery-writes.ts';
import { backlogItem, backlogKey, countBacklog } from '#core/outbound/tend/backlog.ts';
import { backlogOf } from '#core/outbound/tend/operational-events.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

const EP = 'ep_1';
const START = Date.parse('2026-11-22T00:00:00Z');
const SIZES = { exact: 200, page: 100, looks: 50, rows: 20 };

/** One partition takes a thousand writes a second. */
async function put({ store, pass }: Awaited<ReturnType<typeof withEndpoint>>, ep: string, times: readonly number[]) {
  const rows = times.map((at, n) =>
    liveRow({ ep: ep as never, msg: `msg_${n}`, createdAt: START + Math.floor(at) }, START, HOUR_MS),
  );
  for (let at = 0; at < rows.length; at += 900) {
    await store.putMany('outbox', rows.slice(at, at + 900));
    pass(1_000);
  }
}

/** Rows of messages that were published at these times after START. */
async function waiting(times: readonly number[]) {
  const world = await withEndpoint();
  await put(world, EP, times);
  let reads = 0;
  const store: Pick<ItemStore, 'query'> = {
    query: range => {
      reads += 1;
      return world.store.query(range);
    },
  };
  return { ...world, counting: store, reads: () => reads };
}
const even = (count: number, span: number): number[] => Array.from({ length: count }, (_, n) => (n * span) / count);
const random = new SeededRandom(7);
const arrivals = (count: number, span: number): number[] => Array.from({ length: count }, () => random.next() * span);

it('counts one by one what it can, and none', async () => {
  expect(await countBacklog((await waiting([])).counting, EP, SIZES)).toEqual({ waiting: 0, exact: true });
  expect(await countBacklog((await waiting(even(150, 1_000))).counting, EP, SIZES)).toEqual({
    waiting: 150,
    exact: true,
  });
});

describe('above that', () => {
  it.each([
    ['an even stream', even(5_000, 10 * HOUR_MS)],
    ['a random one', arrivals(5_000, 10 * HOUR_MS)],
    [
      'one that doubles half way',
      [...arrivals(2_000, 5 * HOUR_MS), ...arrivals(4_000, 5 * HOUR_MS).map(at => at + 5 * HOUR_MS)],
    ],
    [
      'bursts of ten minutes an hour',
      even(10, 10 * HOUR_MS).flatMap(hour => arrivals(500, 600_000).map(at => hour + at)),
    ],
  ])('%s comes within a third, in a few reads', async (_what, times) => {
    const { counting, reads } = await waiting(times);
    const found = await countBacklog(counting, EP, SIZES);
    expect(found.exact).toBe(false);
    expect(Math.abs(found.waiting / times.length - 1)).toBeLessThan(1 / 3);
    expect(reads()).toBeLessThan(60);
  });

  it('of messages of one millisecond knows that they are many', async () => {
    const { counting } = await waiting(Array.from({ length: 1_000 }, () => 5));
    expect((await countBacklog(counting, EP, SIZES)).waiting).toBeGreaterThanOrEqual(200);
  });
});

describe('is told', () => {
  const now = START + 10 * MINUTE_MS;
  const runtime = { ep: EP, app: 'app_1' } as never;
  const toldOf = (count: number, ageMs: number) => {
    const first = { createdAt: now - ageMs } as never;
    return backlogOf(runtime, first, { waiting: count, exact: count < 10_000 }, now);
  };

  it('once an hour at each level, with the number', () => {
    expect(toldOf(9_999, 6 * MINUTE_MS)).toBeUndefined();
    const [hour, many, more] = [toldOf(9_999, HOUR_MS), toldOf(10_000, 6 * MINUTE_MS), toldOf(1_000_000, HOUR_MS)];
    expect([hour, many, more].map(op => op?.type)).toEqual(Array(3).fill('endpoint.backlog'));
    expect(new Set([hour?.key, many?.key, more?.key]).size).toBe(3);
    expect(more?.data).toMatchObject({ endpoint: EP, waiting: 1_000_000, exact: false });
  });

  it('to the customer in the health of the endpoint, for two hours', async () => {
    const world = await withEndpoint();
    const { call, app, ep, store, clock, pass } = world;
    const E = 'GET /v1/apps/{app}/endpoints/{ep}/health';
    const about = async (): Promise<unknown> => (await call(E, { app, ep })).body.waiting.about;
    await store.put({
      kind: 'put',
      key: backlogKey(ep as never),
      item: backlogItem({ waiting: 12_345, exact: false }, clock.now()),
    });
    expect(await about(), 'they are gone since').toBeNull();
    await put(world, ep, even(1_001, 1_000));
    expect(await about()).toBe(12_345);
    pass(2 * HOUR_MS + 1_000);
    expect(await about()).toBeNull();
  });
});
