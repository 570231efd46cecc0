// Holds I6: very many dead letters are counted more rarely, and never told as newer or fewer than they were counted.
import { describe, expect, it } from 'vitest';
import { countDeaths } from '#core/inbound/sweep/count-deaths.ts';
import type { SweepRun } from '#core/inbound/sweep/sweep-run.ts';
import type { Deaths } from '#core/inbound/sweep/sweeper-record.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';

const NOW = 1_790_000_000_000;
const LAST: Deaths = { at: NOW, open: 100_000, inQueue: 100_000, oldestDeadAt: NOW - DAY_MS, complete: true };

/** A run so long after the last count; three are open now, and `occupied` says what one look at the index shows. */
async function counted(afterMs: number, last: Deaths | undefined, occupied?: ReadonlySet<string>) {
  const now = NOW + afterMs;
  let queries = 0;
  const ports = {
    clock: { now: () => now },
    control: { read: async () => ({ value: JSON.stringify({ deaths: last }), version: 1 }) },
    store: {
      occupied: async () => occupied,
      attention: async () => {
        queries += 1;
        return { items: [1, 2, 3].map(n => ({ attentionAt: `${now - n}#handler_error` })) };
      },
    },
  };
  const rules = { deadQueueRetentionSeconds: (14 * DAY_MS) / 1_000 };
  const guard = (work: () => unknown): unknown => work();
  const run = { guard, ports, rules, sources: ['shop'], now, until: now + MINUTE_MS } as unknown as SweepRun;
  return { deaths: await countDeaths(run), queries };
}

describe('a hundred thousand dead letters', () => {
  it('are counted again after fourteen minutes, and told with the time of their count until then', async () => {
    expect(await counted(13 * MINUTE_MS, LAST)).toEqual({ deaths: LAST, queries: 0 });
    expect(await counted(14 * MINUTE_MS, LAST)).toMatchObject({
      deaths: { at: NOW + 14 * MINUTE_MS, open: 3, complete: true },
      queries: 1,
    });
  });

  it('are counted as soon as the oldest message is gone, so that the next one is told in time', async () => {
    const oldestDeadAt = NOW - 14 * DAY_MS + 2 * MINUTE_MS;
    expect(await counted(MINUTE_MS, { ...LAST, oldestDeadAt })).toMatchObject({ queries: 0 });
    expect(await counted(2 * MINUTE_MS, { ...LAST, oldestDeadAt })).toMatchObject({ queries: 1 });
  });

  it('that are closed are noticed at the next run, once one look shows all that are left', async () => {
    expect((await counted(MINUTE_MS, LAST, new Set(['shop']))).deaths.open).toBe(3);
    expect(await counted(MINUTE_MS, LAST, new Set())).toMatchObject({ deaths: { open: 0 }, queries: 0 });
  });

  it('that were not all counted stay "at least" until they are', async () => {
    expect((await counted(MINUTE_MS, { ...LAST, complete: false })).deaths.complete).toBe(false);
  });
});

it('a few thousand dead letters are counted in every run, and ten million once an hour', async () => {
  expect(await counted(MINUTE_MS, { ...LAST, open: 7_500 })).toMatchObject({ queries: 1 });
  expect(await counted(HOUR_MS - MINUTE_MS, { ...LAST, open: 1e7 })).toMatchObject({ queries: 0 });
  expect(await counted(HOUR_MS, { ...LAST, open: 1e7 })).toMatchObject({ queries: 1 });
  expect(await counted(MINUTE_MS, undefined)).toMatchObject({ queries: 1 });
});
