import { env } from 'node:process';
import { describe, expect, it } from 'vitest';
import type { EventUpdate } from '#core/inbound/ports.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { BUGS } from './bugs.ts';
import { findNoticingWalk } from './find-noticing-walk.ts';
import { WITHOUT_A_CLAIM } from './first-run.ts';
import type { Bug } from './real-lifecycle.ts';
import { walk } from './walk.ts';

/** `HOLDFAST_SEED` repeats a walk that failed: it comes first. */
const FIRST_SEED = Number(env['HOLDFAST_SEED'] ?? 1);
const WALKS = isLongRun() ? 50_000 : 160;
const MAX_STEPS = 80;
/** The seeds that noticed the bugs which few walks notice. */
const NOTICED_BY: Readonly<Record<string, number>> = {
  'writes are not fenced by the owner': 209,
  'death-done and revive do not look at the death': 224,
};

/** The bug in the writes that complete without a claim, and in no other. */
const ofFirstRuns = (bug: Bug | undefined): Bug => ({
  update: update => (isUnclaimedEnd(update) ? (bug?.update?.(update) ?? update) : update),
});
const isUnclaimedEnd = ({ set, add }: EventUpdate): boolean =>
  (set.status === 'completed' || set.status === 'ignored') && add?.attempts === 1;

describe('the code and the lifecycle model', () => {
  it('are in the same state after every step of random walks', async () => {
    let steps = 0;
    const actions = new Set<string>();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + WALKS; seed++) {
      const walked = await walk(seed, MAX_STEPS);
      steps += walked.length;
      for (const action of walked) actions.add(action);
    }
    console.log(`Conformance: ${WALKS} walks, ${steps} steps, ${actions.size} different actions of the model`);
    recordRun(['I4', 'I5', 'I7', 'I8', 'I9'], 'conformance', steps);
    expect(steps).toBeGreaterThan(WALKS * 30);
    expect(actions.size).toBeGreaterThan(95);
  }, 1_800_000);

  it('are in the same state where first deliveries run without a claim, of handlers that only transact and of no handler', async () => {
    let steps = 0;
    const actions = new Set<string>();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + WALKS; seed++) {
      const walked = await walk(seed, MAX_STEPS, undefined, { onlyTransacts: true });
      steps += walked.length;
      for (const action of walked) actions.add(action);
    }
    console.log(`Conformance without a claim: ${WALKS} walks, ${steps} steps, ${actions.size} different actions`);
    recordRun(['I4', 'I5', 'I7', 'I8', 'I9'], 'conformance', steps);
    expect(steps).toBeGreaterThan(WALKS * 30);
    expect([...actions]).toEqual(expect.arrayContaining(WITHOUT_A_CLAIM.map(it => `consumer: ${it}`)));
  }, 1_800_000);

  it.each(['writes do not look at the status', 'writes do not look at the generation'])(
    'part without a claim when %s',
    async name => {
      const unclaimed = (seed: number, bug?: Bug) => walk(seed, MAX_STEPS, bug, { onlyTransacts: true });
      const seed = await findNoticingWalk(it => unclaimed(it, ofFirstRuns(BUGS[name])), undefined);
      await unclaimed(seed);
    },
  );

  it.each(Object.keys(BUGS))('part when %s', async name => {
    const seed = await findNoticingWalk(it => walk(it, MAX_STEPS, BUGS[name]), NOTICED_BY[name]);
    // The bug is what it noticed: the same walk without it is fine.
    await walk(seed, MAX_STEPS);
  });
});
