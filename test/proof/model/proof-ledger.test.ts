import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { PROOF_FOLDER, type ProofLine, recordRun } from '#test/kit/runner/proof-ledger.ts';

const suite = 'proof-ledger-self-test';
const file = join(PROOF_FOLDER, `${suite}.jsonl`);
const lines = (): ProofLine[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as ProofLine);

afterEach(() => rmSync(file, { force: true }));

it('writes one line for each invariant, call after call', () => {
  recordRun(['I2', 'I3'], suite, 4);
  recordRun(['I2'], suite, 5, 1);
  expect(lines()).toEqual([
    { suite, invariant: 'I2', runs: 4, violations: 0 },
    { suite, invariant: 'I3', runs: 4, violations: 0 },
    { suite, invariant: 'I2', runs: 5, violations: 1 },
  ]);
});
