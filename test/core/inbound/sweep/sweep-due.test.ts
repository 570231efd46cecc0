import { describe, expect, it } from 'vitest';
import { toSourceId } from '#core/glossary.ts';
import { sweepDue } from '#core/inbound/sweep/sweep-due.ts';
import type { SweepRun } from '#core/inbound/sweep/sweep-run.ts';

/** The parts of the watch that a run asks, where the index holds entries under these keys. */
async function asked(occupied: () => Promise<ReadonlySet<string> | undefined>): Promise<readonly string[]> {
  const parts: string[] = [];
  const watchDue = async (shard: string, { from }: { readonly from?: number }) => {
    parts.push(from === undefined ? shard : `${shard} far`);
    return { items: [] };
  };
  const run = {
    sources: ['a', 'b'].map(toSourceId),
    ports: { store: { occupied, watchDue } },
    pauses: {},
    startedAt: 1_000,
    isOver: false,
    guard: <T>(work: () => Promise<T>) => work().catch(() => undefined),
  };
  await sweepDue(run as unknown as SweepRun);
  return parts;
}

const of = (...keys: readonly string[]) => asked(async () => new Set(keys));

describe('what is due', () => {
  it('is asked of no part that is empty', async () => {
    expect(await of()).toEqual([]);
    expect(await of('a#1', 'gone#2')).toEqual(['a#1', 'a#1 far']);
    expect(await of('a#0', 'b#3')).toEqual(['a#0', 'a#0 far', 'b#3', 'b#3 far']);
  });

  it('is asked of the part that a key of a spread source belongs to', async () => {
    expect(await of('b#6')).toEqual(['b#2', 'b#2 far']);
  });

  it('is asked of every part where the index holds too much, or could not be looked at', async () => {
    expect(await asked(async () => undefined)).toHaveLength(16);
    expect(await asked(() => Promise.reject(new Error('away')))).toHaveLength(16);
  });
});
