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
  // One reader ends after 2,500 entries: what is behind, exactly there and just before it.
  { stripe: 2_500, shopify: 0 },
  { stripe: 2_499, shopify: 1 },
  { stripe: 4_000, shopify: 2_001 },
])('counts all of %j', async counts => {
  const { sources, capped } = await readTraffic(busy(counts).operator());
  for (const [source, count] of Object.entries(counts))
    expect(sum(sources.find(it => it.source === source)?.accepted), source).toBe(count);
  expect(capped).toBe(false);
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
  const { sources, capped } = await readTraffic(many);
  const known = sources.filter(({ source }) => !source.startsWith('quiet'));
  expect(known.map(({ source, accepted }) => [source, sum(accepted)])).toEqual([
    ['shopify', 3],
    ['stripe', 40],
  ]);
  expect(capped).toBe(false);
});

it('counts deaths of the hour by their minute, and says when a source was last heard of', async () => {
  const gateway = busy({ stripe: 300 }, 120);
  const { sources } = await readTraffic(gateway.operator());
  const stripe = sources.find(it => it.source === 'stripe');
  expect([sum(stripe?.died), sum(stripe?.accepted)]).toEqual([120, 300]);
  expect(Date.now() - (stripe?.lastAt ?? 0)).toBeLessThan(2 * MINUTE_MS);
  expect(sources.find(it => it.source === 'shopify')).toMatchObject({ lastAt: undefined });
});

it('stops at twenty thousand, and says that there are more', async () => {
  const { sources, capped } = await readTraffic(busy({ stripe: 23_000 }).operator());
  expect(capped).toBe(true);
  expect(sum(sources.find(it => it.source === 'stripe')?.accepted)).toBeGreaterThanOrEqual(20_000);
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
  expect(sum(sources.find(it => it.source === 'stripe')?.died)).toBe(130);
});
