// Holds I6: very many dead letters are counted more rarely, and never told as newer or fewer than they were counted.
import { describe, expect, it } from 'vitest';
import { countDeaths, openDeaths } from '#core/inbound/sweep/count-deaths.ts';
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
  const record = { deaths: last };
  const run = { guard, ports, rules, record, sources: ['shop'], now, until: now + MINUTE_MS } as unknown as SweepRun;
  return { deaths: await countDeaths(run), queries };
}

describe('a hundred thousand dead letters', () => {
  it('are counted again after twenty minutes, and told with the time of their count until then', async () => {
    expect(await counted(19 * MINUTE_MS, LAST)).toEqual({ deaths: LAST, queries: 0 });
    expect(await counted(20 * MINUTE_MS, LAST)).toMatchObject({
      deaths: { at: NOW + 20 * MINUTE_MS, open: 3, complete: true },
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

describe('a count that the end of its run cuts off', () => {
  /** The first page of one source, of which more follow. */
  const cutOff = async (last: Deaths | undefined): Promise<Deaths> => {
    const store = {
      occupied: async () => undefined,
      attention: async () => ({ items: [{ attentionAt: `${NOW}#handler_error` }], cursor: 'more' }),
    };
    const ports = { clock: { now: () => NOW }, store };
    const rules = { deadQueueRetentionSeconds: (14 * DAY_MS) / 1_000 };
    const guard = (work: () => unknown): unknown => work();
    const record = { deaths: last };
    const run = { guard, ports, rules, record, sources: ['shop'], now: NOW, until: NOW };
    return countDeaths(run as unknown as SweepRun);
  };
  const old = { ...LAST, at: NOW - HOUR_MS };

  it('is told as the last whole one, also after several that were cut off', async () => {
    const cut = await cutOff(old);
    expect(cut).toMatchObject({ open: 1, complete: false });
    expect(openDeaths(cut)).toBe(100_000);
    expect(openDeaths(await cutOff({ ...cut, at: NOW - HOUR_MS }))).toBe(100_000);
  });

  it('is told as it is where it found more, or none was whole: silence would close the alarm', async () => {
    expect(openDeaths(await cutOff({ ...old, open: 0, inQueue: 0 }))).toBe(1);
    expect(openDeaths(await cutOff(undefined))).toBe(1);
  });

  it('is forgotten with the next whole one', async () => {
    const { deaths } = await counted(HOUR_MS, { ...LAST, complete: false, lastWhole: 200_000 });
    expect(openDeaths(deaths)).toBe(3);
  });
});

it('a few thousand dead letters are counted in every run, and ten million once an hour', async () => {
  expect(await counted(MINUTE_MS, { ...LAST, open: 5_000 })).toMatchObject({ queries: 1 });
  expect(await counted(HOUR_MS - MINUTE_MS, { ...LAST, open: 1e7 })).toMatchObject({ queries: 0 });
  expect(await counted(HOUR_MS, { ...LAST, open: 1e7 })).toMatchObject({ queries: 1 });
  expect(await counted(MINUTE_MS, undefined)).toMatchObject({ queries: 1 });
});
