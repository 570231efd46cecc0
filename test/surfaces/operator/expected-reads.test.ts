/** What a look at dead letters says that it will read: of the sources and the time that it asks for. */
import { expect, it } from 'vitest';
import { toSourceId } from '#core/glossary.ts';
import { noteSweeper } from '#core/inbound/sweep/sweeper-record.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { muchToRead } from '#operator/events/expected-reads.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

/** Of the index. */
const PAGE = 100;

/** 2,000 deaths at stripe, one a minute, and 200 at github, within the last hour; `counted`: by the sweeper. */
async function asked(sources: readonly string[], ms: number, counted: number | null = 2_200) {
  const gateway = new ConsoleGateway();
  const operator = gateway.operator();
  const { store, control } = await operator.gateway();
  const now = operator.clock.now();
  const die = (source: string, n: number, receivedAt: number) =>
    gateway.add({ source, key: `k${n}`, type: 'x', status: 'dead_letter', receivedAt, tookMs: 0, cause: 'permanent' });
  for (let n = 0; n < 2_000; n++) die('stripe', n, now - (n + 1) * MINUTE_MS);
  for (let n = 0; n < 200; n++) die('github', n, now - (n + 1) * 10_000);
  if (counted !== null) await noteSweeper({ deaths: { at: now, open: counted, inQueue: 0, complete: true } }, control);
  const attention = store.attention.bind(store);
  store.attention = async (partition, cursor = '0') => {
    const { items } = await attention(partition);
    const [from, to] = [Number(cursor), Number(cursor) + PAGE];
    return { items: items.slice(from, to), ...(to < items.length ? { cursor: String(to) } : {}) };
  };
  const filter = { sources: sources.map(toSourceId), statuses: ['dead_letter'] as const, since: now - ms, until: now };
  return (await muchToRead(operator, filter))?.events;
}

it('tells the deaths of all sources where all are asked for', async () => {
  expect(await asked(['stripe', 'github'], 90 * DAY_MS)).toBe(2_200);
});

it('tells those of one source, and of a range', async () => {
  expect(await asked(['shopify'], 90 * DAY_MS)).toBeUndefined();
  expect(await asked(['stripe'], HOUR_MS)).toBe(60);
  expect(await asked(['stripe'], 10 * HOUR_MS)).toBeCloseTo(600, -2);
  expect(await asked(['github'], 20 * MINUTE_MS)).toBeCloseTo(120, -1);
  expect(await asked(['stripe'], 40 * MINUTE_MS), 'little').toBeUndefined();
});

it('never tells more than were counted, and nothing where nobody counted and more must be read to know', async () => {
  expect(await asked(['github'], 90 * DAY_MS, 210)).toBe(210);
  expect(await asked(['stripe'], 90 * DAY_MS, null)).toBeUndefined();
});
