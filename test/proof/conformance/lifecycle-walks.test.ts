import { env } from 'node:process';
import { describe, expect, it } from 'vitest';
import { isLongRun } from '#test/kit/long-run.ts';
import { recordRun } from '#test/kit/proof-ledger.ts';
import { BUGS } from './bugs.ts';
import { findNoticingWalk } from './find-noticing-walk.ts';
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

  it.each(Object.keys(BUGS))('part when %s', async name => {
    const seed = await findNoticingWalk(it => walk(it, MAX_STEPS, BUGS[name]), NOTICED_BY[name]);
    // The bug is what it noticed: the same walk without it is fine.
    await walk(seed, MAX_STEPS);
  });
});
