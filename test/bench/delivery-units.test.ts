/** What sending costs: the units of a delivery are those of the page, and within the design's write units. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { billDeliveries, SHAPES } from '#bench/billing/billed-deliveries.ts';
import { readNumbers } from '#bench/report/page.ts';
import { totalOf } from '#operator/cost/bill.ts';
import { deliveryBill } from '#operator/cost/delivery-bill.ts';

describe('a delivery', () => {
  // Bodies come in turns of three: a multiple of that has the units of many.
  it.each([
    ['Quiet', { ...SHAPES[0], messages: 6 }],
    ['BusyFanOut', SHAPES[2]],
  ] as const)('costs the units of bench/RESULTS.md (%s)', async (name, shape) => {
    const { perDelivery, calls } = await billDeliveries(shape as (typeof SHAPES)[number]);
    const published = readNumbers()['c'] ?? {};
    expect(perDelivery.writeUnits, 'run: npm run bench -- c --write').toBeCloseTo(
      published[`delivery${name}WriteUnits`] ?? 0,
      3,
    );
    const dollars = totalOf(deliveryBill(perDelivery));
    expect(dollars / (published[`delivery${name}Dollars`] ?? 0)).toBeCloseTo(1, 1);
    const page = readFileSync(new URL('../../bench/RESULTS.md', import.meta.url), 'utf8');
    expect(page).toContain(`$${(published[`delivery${name}Dollars`] ?? 0).toFixed(2)}`);
    if (name !== 'Quiet') return;
    // Message and its list, row, lease, record, row, lease: nothing else is written.
    expect(calls.filter(({ target, units }) => units > 0 && !['jobs', 'wake'].includes(target))).toHaveLength(6);
  });
});
