/**
 * A suite that finds nothing proves nothing: each deliberate bug is built into the product, and the suites must catch it.
 * Prints which suite caught which; no survivor is allowed, and the product as it is must raise no complaint.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PROOF_FOLDER } from '#test/kit/runner/proof-ledger.ts';
import { MUTANTS } from './mutants.ts';
import type { Catch } from './probe.ts';
import { runMutant } from './run-mutant.ts';

const LIMIT_MS = 120_000;
const rows: { readonly mutant: string; readonly caught: Catch | undefined }[] = [];

afterAll(() => {
  mkdirSync(PROOF_FOLDER, { recursive: true });
  writeFileSync(join(PROOF_FOLDER, 'mutants.json'), JSON.stringify(rows, undefined, 1));
  const lines = rows.map(({ mutant, caught }) => `  ${mutant.padEnd(68)} ${caught?.suite ?? 'SURVIVED'}`);
  console.log(`${rows.length} deliberate bugs, and what caught them:\n${lines.join('\n')}`);
});

it('the product as it is raises no complaint', async () => {
  expect(await runMutant(undefined, 0, LIMIT_MS)).toBeUndefined();
});

it.each(MUTANTS.map((mutant, index) => [mutant.name, mutant, index + 1] as const))(
  'catches: %s',
  async (name, mutant, number) => {
    const caught = await runMutant(mutant, number, LIMIT_MS);
    rows.push({ mutant: name, caught });
    expect(caught, `"${name}" survived: no suite notices this bug`).toBeDefined();
    // Asking all the others first took a minute.
    const named = mutant.scenario ?? mutant.journey;
    if (named !== undefined)
      expect(caught?.asNamed, `"${named}" shows "${name}" no more: name ${caught?.suite} in mutants.ts`).toBe(true);
  },
);
