/** What ships, built with a deliberate bug: the checks of test/lib/synth/bundle-parts.test.ts and of `status` must see it. */
import { expect, it } from 'vitest';
import { runMutant } from './run-mutant.ts';
import { SHIPPED_MUTANTS } from './shipped-mutants.ts';

const LIMIT_MS = 120_000;
/** The probe builds bundles from our sources. */
const PROBE = ['shipped-probe.ts', '.ts'] as const;

it('the product as it is raises no complaint', async () => {
  expect(await runMutant(undefined, 2_000, LIMIT_MS, ...PROBE)).toBeUndefined();
});

it.each(SHIPPED_MUTANTS.map((mutant, at) => [mutant.name, mutant, at] as const))(
  'catches: %s',
  async (_, mutant, at) => {
    const caught = await runMutant(mutant, 2_001 + at, LIMIT_MS, ...PROBE);
    expect(caught?.complaint).toMatch(mutant.caughtBy);
  },
);
