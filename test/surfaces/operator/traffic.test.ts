/** What a busy gateway received, by reads that go on where the budget of one reader ends. */
import { expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { readTraffic } from '#operator/events/traffic.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

/** Events of each source in the last half hour, and how many of them are dead. */
function busy(counts: Readonly<Record<string, number>>, dead = 0): ConsoleGateway {
  const gateway = new ConsoleGateway();
  const now = Date.now();
  for (const [source, count] of Object.entries(counts))
    for (let n = 0; n < count; n++) {
      const receivedAt = now - MINUTE_MS - Math.floor((n * 28 * MINUTE_MS) / count);
      const status = n < dead ? 'dead_letter' : 'completed';
      gateway.add({ source, key: `${source}-${n}`, type: 'a', status, receivedAt });
    }
  return gateway;
}
const sum = (list: readonly number[] = []): number => list.reduce((all, each) => all + each, 0);

it.each([
  { stripe: 40, shopify: 3 },
  { stripe: 500, shopify: 0 },
  { stripe: 700, shopify: 200 },
  { stripe: 249, shopify: 1 },
])('counts all of %j', async counts => {
  const { sources, cappedAt } = await readTraffic(busy(counts).operator());
  for (const [source, count] of Object.entries(counts))
    expect(sum(sources.find(it => it.source === source)?.accepted), source).toBe(count);
  expect(cappedAt).toBeUndefined();
});

it('goes on where the queries of one reader end: at more than sixty sources', async () => {
  const gateway = busy({ stripe: 40, shopify: 3 });
  const operator = gateway.operator();
  const others = Array.from({ length: 70 }, (_, n) => `quiet-${n}`);
  const sourceIds = [...others, 'shopify', 'stripe'];
  const { store } = await operator.gateway();
  let reads = 0;
  const timeline: typeof store.timeline = (...given) => {
    if (++reads > 5_000) throw new Error('it asks without end');
    return store.timeline(...given);
  };
  const seen = { store: { ...store, timeline } };
  const many = { sourceIds, clock: operator.clock, gateway: async () => seen } as unknown as typeof operator;
  const { sources, cappedAt } = await readTraffic(many);
  const known = sources.filter(({ source }) => !source.startsWith('quiet'));
  expect(known.map(({ source, accepted }) => [source, sum(accepted)])).toEqual([
    ['shopify', 3],
    ['stripe', 40],
  ]);
  expect(cappedAt).toBeUndefined();
});

it('counts deaths of the hour by their minute, and says when a source was last heard of', async () => {
  const gateway = busy({ stripe: 300 }, 120);
  const { sources } = await readTraffic(gateway.operator());
  const stripe = sources.find(it => it.source === 'stripe');
  expect([sum(stripe?.died), sum(stripe?.accepted)]).toEqual([120, 300]);
  expect(Date.now() - (stripe?.lastAt ?? 0)).toBeLessThan(2 * MINUTE_MS);
  expect(sources.find(it => it.source === 'shopify')).toMatchObject({ lastAt: undefined });
});

it('of very many reads the newest, and says since when they are all', async () => {
  const gateway = busy({ stripe: 23_000 });
  const { sources, cappedAt = 0 } = await readTraffic(gateway.operator());
  const counted = sum(sources.find(it => it.source === 'stripe')?.accepted);
  expect(counted).toBeGreaterThanOrEqual(750);
  expect(counted).toBeLessThan(1_500);
  const perMs = 23_000 / (28 * MINUTE_MS);
  const ago = Date.now() - MINUTE_MS - cappedAt;
  expect(counted / (ago * perMs)).toBeCloseTo(1, 1);
  // Three sources are quiet, and their last event is looked for.
  expect(gateway.reads).toBeLessThan(100);
});

it('counts the deaths of a page that is full, and of those behind it', async () => {
  const operator = busy({ stripe: 130 }, 130).operator();
  const { store } = await operator.gateway();
  let reads = 0;
  const attention: typeof store.attention = async (source, cursor) => {
    if (++reads > 10) throw new Error('it asks without end');
    const { items } = await store.attention(source);
    const at = Number(cursor ?? 0);
    return { items: items.slice(at, at + 50), ...(at + 50 < items.length ? { cursor: String(at + 50) } : {}) };
  };
  const paged = { store: { ...store, timeline: store.timeline.bind(store), attention } };
  const { sourceIds, clock } = operator;
  const { sources } = await readTraffic({ sourceIds, clock, gateway: async () => paged } as unknown as typeof operator);
  const stripe = sources.find(it => it.source === 'stripe');
  expect(sum(stripe?.died)).toBe(130);
  expect(stripe).toMatchObject({ open: 130, more: false });
});

it('counts deaths that are open, and says where more are than it reads', async () => {
  const operator = busy({ stripe: 900 }, 900).operator();
  const { store } = await operator.gateway();
  const attention: typeof store.attention = async (source, cursor) => {
    const { items } = await store.attention(source);
    const at = Number(cursor ?? 0);
    return { items: items.slice(at, at + 100), ...(at + 100 < items.length ? { cursor: String(at + 100) } : {}) };
  };
  const paged = { store: { ...store, timeline: store.timeline.bind(store), attention } };
  const { sourceIds, clock } = operator;
  const { sources } = await readTraffic({ sourceIds, clock, gateway: async () => paged } as unknown as typeof operator);
  expect(sources.find(it => it.source === 'stripe')).toMatchObject({ open: 500, more: true });
  expect(sources.find(it => it.source === 'slack')).toMatchObject({ open: 0, more: false });
});
