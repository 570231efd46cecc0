/**
 * Conditions left out of the protocol's writes one at a time, in whole runs of the product: each is noticed where
 * condition-notices.ts says, or it says why no run can notice. `HOLDFAST_LONG=1` looks for a notice of those, too.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ConditionCounts, PROOF_FOLDER } from '#test/kit/runner/proof-ledger.ts';
import { killerOf, noticeOf } from './condition-killer.ts';
import { NOTICES, type Notice } from './condition-notices.ts';
import { CONDITIONS } from './guarded-writes.ts';
import { RACES } from './races.ts';

const LONG = process.env['HOLDFAST_LONG'] === '1';
type Noticed = Extract<Notice, { race: unknown } | { walk: unknown }>;
const isNoticed = (entry: [string, Notice]): entry is [string, Noticed] => 'race' in entry[1] || 'walk' in entry[1];

const noticed = Object.entries(NOTICES).filter(isNoticed);
const spare = Object.entries(NOTICES).flatMap(([condition, notice]): [string, readonly string[]][] => {
  if ('harmless' in notice) return [[condition, []]];
  return 'coveredBy' in notice ? [[condition, notice.coveredBy]] : [];
});

afterAll(() => {
  const count = (kind: string): number => Object.values(NOTICES).filter(notice => kind in notice).length;
  const counts: ConditionCounts = {
    conditions: CONDITIONS.length,
    noticedByARace: count('race'),
    noticedByAWalk: count('walk'),
    coveredByOthers: count('coveredBy'),
    harmless: count('harmless'),
  };
  mkdirSync(PROOF_FOLDER, { recursive: true });
  writeFileSync(join(PROOF_FOLDER, 'conditions.json'), JSON.stringify(counts, undefined, 1));
});

it('knows of every condition of every write what notices that it is missing', () => {
  expect(Object.keys(NOTICES).sort()).toEqual(CONDITIONS.toSorted());
});

it.each(Object.entries(RACES))('%s: nothing is wrong with the writes as they are', async (_, race) => {
  expect(await race()).toEqual([]);
});

describe('is noticed when it is missing', () => {
  it.each(noticed)('%s', async (condition, notice) => {
    const complaint = await noticeOf(condition, notice);
    const found = complaint ?? `not so; but by ${(await killerOf(condition)) ?? 'nothing else'}`;
    expect(complaint, `${condition}: noticed by ${JSON.stringify(notice)}? ${found}`).toBeDefined();
  });
});

it.each(spare)('%s is covered by conditions of the same write', (condition, coveredBy) => {
  const [write = ''] = condition.split(': ');
  expect(coveredBy.filter(leaf => !CONDITIONS.includes(`${write}: ${leaf}`))).toEqual([]);
});

it.runIf(LONG).each(spare)('%s: no run notices that it is missing', async condition => {
  expect(await killerOf(condition)).toBeUndefined();
});
