/** Machine-readable results of the proof suites: JSON lines that a later step collects into one table. */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** One line of `.holdfast/proof/<suite>.jsonl`: how often a suite checked an invariant, and how often it was broken. */
export interface ProofLine {
  readonly suite: string;
  readonly invariant: string;
  readonly runs: number;
  readonly violations: number;
}

/** `.holdfast/proof/conditions.json`: what a whole run says when one condition of the protocol's writes is missing. */
export interface ConditionCounts {
  readonly conditions: number;
  readonly noticedByARace: number;
  readonly noticedByAWalk: number;
  readonly coveredByOthers: number;
  readonly harmless: number;
}

export const PROOF_FOLDER = join(import.meta.dirname, '../../..', '.holdfast', 'proof');

const begun = new Set<string>();

/**
 * Records that `suite` checked each of `invariants` (`I1` … `I14`, `O1` … `O21`) in `runs` runs. A suite is one test file: its first
 * call replaces what an earlier run of that file left, so the lines of one file add up.
 */
export function recordRun(invariants: readonly string[], suite: string, runs: number, violations = 0): void {
  const file = join(PROOF_FOLDER, `${suite}.jsonl`);
  if (!begun.has(suite)) {
    begun.add(suite);
    rmSync(file, { force: true });
  }
  // Each time: another run in this checkout begins by removing the folder.
  mkdirSync(PROOF_FOLDER, { recursive: true });
  const lines = invariants.map((invariant): ProofLine => ({ suite, invariant, runs, violations }));
  appendFileSync(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''));
}
