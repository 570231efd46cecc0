/** How many are dead, on the first screen: counted where they are few, else as the sweeper counted them. */
import { expect, it } from 'vitest';
import { noteSweeper } from '#core/inbound/sweep/sweeper-record.ts';
import { MINUTE_MS } from '#core/time.ts';
import { needsOf } from '#operator/health/needs.ts';
import { readSystem } from '#operator/health/system-view.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

/** Of the index. */
const PAGE = 100;

async function withDead(many: number, counted?: { open: number; complete: boolean }) {
  const gateway = new ConsoleGateway();
  const now = Date.now();
  for (let n = 0; n < many; n++) {
    const source = n % 2 === 0 ? 'stripe' : 'github';
    gateway.add({ source, key: `k${n}`, type: 'x', status: 'dead_letter', receivedAt: now - n, cause: 'permanent' });
  }
  const operator = gateway.operator();
  const { store, control } = await operator.gateway();
  const at = operator.clock.now() - 5 * MINUTE_MS;
  if (counted) await noteSweeper({ deaths: { ...counted, at, inQueue: counted.open } }, control);
  let entries = 0;
  const attention = store.attention.bind(store);
  store.attention = async (partition, cursor = '0') => {
    const { items } = await attention(partition);
    const [from, to] = [Number(cursor), Number(cursor) + PAGE];
    entries += Math.min(PAGE, items.length - from);
    return { items: items.slice(from, to), ...(to < items.length ? { cursor: String(to) } : {}) };
  };
  const view = await readSystem(operator);
  const [need] = needsOf(view, operator.clock.now()).filter(({ next }) => next.href === '/dead');
  return { view, text: need?.text, entries, at };
}

it('counts few, whatever the sweeper counted', async () => {
  const { view, text } = await withDead(250, { open: 7, complete: true });
  expect(view.openDeadLetters).toBe(250);
  expect(view.deadLettersAt).toBeUndefined();
  expect(text).toBe('250 dead letters');
});

it('tells the sweeper’s count of many, with its time, and reads no more than a part of them', async () => {
  const { view, text, entries, at } = await withDead(9_000, { open: 8_990, complete: true });
  expect(view).toMatchObject({ openDeadLetters: 8_990, deadLettersAt: at });
  expect(text).toBe('8,990 dead letters (counted 5 min ago)');
  expect(entries).toBe(PAGE);
  expect((await withDead(9_000, { open: 8_000, complete: false })).text).toBe(
    'over 8,000 dead letters (counted 5 min ago)',
  );
});

it('says that there are more where nobody has counted all, or fewer than there are', async () => {
  for (const counted of [undefined, { open: 7, complete: true }]) {
    const { view, text } = await withDead(9_000, counted);
    expect(view.deadLettersCapped).toBe(true);
    expect(view.openDeadLetters).toBeGreaterThanOrEqual(300);
    expect(view.openDeadLetters).toBeLessThan(900);
    expect(text).toMatch(/^over [3-8]\d\d dead letters$/);
  }
});
