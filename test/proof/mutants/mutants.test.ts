/**
 * A suite that finds nothing proves nothing: each deliberate bug is put into the product, and the suites must catch it.
 * Prints which suite caught which; no survivor is allowed, and the product as it is must raise no complaint.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PROOF_FOLDER } from '#test/kit/runner/proof-ledger.ts';
import { MUTANTS, type Mutant } from './mutants.ts';
import { Mutator } from './mutator.ts';
import { OUTBOUND_MUTANTS } from './outbound-mutants.ts';
import type { Catch } from './probe.ts';
import { SHIPPED_MUTANTS } from './shipped-mutants.ts';

const LIMIT_MS = 120_000;
const SIDES = [
  { side: 'inbound', mutants: MUTANTS },
  { side: 'outbound', mutants: OUTBOUND_MUTANTS },
  { side: 'shipped', mutants: SHIPPED_MUTANTS },
] as const;
const rows: { readonly mutant: string; readonly caught: Catch | undefined }[] = [];

afterAll(() => {
  mkdirSync(PROOF_FOLDER, { recursive: true });
  writeFileSync(join(PROOF_FOLDER, 'mutants.json'), JSON.stringify(rows, undefined, 1));
  const lines = rows.map(({ mutant, caught }) => `  ${mutant.padEnd(68)} ${caught?.suite ?? 'SURVIVED'}`);
  console.log(`${rows.length} deliberate bugs, and what caught them:\n${lines.join('\n')}`);
});

describe.each(SIDES)('$side', ({ side, mutants }) => {
  const mutator = new Mutator(`./${side}-side.ts`, mutants, LIMIT_MS);
  afterAll(() => mutator.stop());

  it.each(mutants.map(mutant => [mutant.name, mutant] as const))('catches: %s', async (name, mutant: Mutant) => {
    const caught = await mutator.run(mutant);
    rows.push({ mutant: name, caught });
    expect(caught, `"${name}" survived: no suite notices this bug`).toBeDefined();
    expect(caught?.suite, `"${mutant.shownBy}" shows "${name}" no more: name another`).toBe(mutant.shownBy);
    expect(caught?.complaint).toMatch(mutant.says ?? '');
  });

  // At the end: whatever a mutant left behind would show here.
  it('the product as it is raises no complaint', async () => {
    expect(await mutator.run(undefined)).toBeUndefined();
  });
});
