/** Each deliberate bug of the sending side must be caught by a journey; the product as it is must raise no complaint. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PROOF_FOLDER } from '#test/kit/runner/proof-ledger.ts';
import { OUTBOUND_MUTANTS } from './outbound-mutants.ts';
import type { Catch } from './probe.ts';
import { runMutant } from './run-mutant.ts';

const LIMIT_MS = 120_000;
const PROBE = 'outbound-probe.ts';
const rows: { readonly mutant: string; readonly caught: Catch | undefined }[] = [];
const chosen = OUTBOUND_MUTANTS.map((mutant, at) => [mutant.name, mutant, at] as const);

afterAll(() => {
  mkdirSync(PROOF_FOLDER, { recursive: true });
  writeFileSync(join(PROOF_FOLDER, 'outbound-mutants.json'), JSON.stringify(rows, undefined, 1));
  const lines = rows.map(({ mutant, caught }) => `  ${mutant.padEnd(68)} ${caught?.suite ?? 'SURVIVED'}`);
  console.log(`${rows.length} deliberate bugs of sending, and what caught them:\n${lines.join('\n')}`);
});

it('the product as it is raises no complaint', async () => {
  expect(await runMutant(undefined, 1_000, LIMIT_MS, PROBE)).toBeUndefined();
});

it.each(chosen)('catches: %s', async (name, mutant, at) => {
  const caught = await runMutant(mutant, 1_001 + at, LIMIT_MS, PROBE);
  rows.push({ mutant: name, caught });
  expect(caught, `"${name}" survived: no journey notices this bug`).toBeDefined();
});
