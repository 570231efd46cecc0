import { describe, expect, it } from 'vitest';
import { recordRun } from '#test/proof-ledger.ts';
import { isLongRun } from '#test/support/long-run.ts';
import { walk } from './walk.ts';

const WALKS = isLongRun() ? 20_000 : 200;
const MAX_STEPS = 80;

describe('the code and the lifecycle model', () => {
  it('are in the same state after every step of random walks', async () => {
    let steps = 0;
    const actions = new Set<string>();
    for (let seed = 1; seed <= WALKS; seed++) {
      const walked = await walk(seed, MAX_STEPS);
      steps += walked.steps;
      for (const action of walked.actions) actions.add(action);
    }
    console.log(`Conformance: ${WALKS} walks, ${steps} steps, ${actions.size} different actions of the model`);
    recordRun(['I4', 'I5', 'I7', 'I8', 'I9'], 'conformance', steps);
    expect(steps).toBeGreaterThan(WALKS * 10);
  });
});
