/** After a run, prints which suites checked which invariant how often, and how many deliberate bugs were caught. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter } from 'vitest/node';
import { type ConditionCounts, PROOF_FOLDER, type ProofLine } from '#test/kit/runner/proof-ledger.ts';

/** I1 to I14 of receiving (docs/understand/how-receiving-works.md), O1 to O21 of sending (docs/understand/how-sending-works.md). */
const INVARIANTS = [...numbered('I', 14), ...numbered('O', 21)];

export default class ProofReporter implements Reporter {
  onInit(): void {
    rmSync(PROOF_FOLDER, { recursive: true, force: true });
  }

  onTestRunEnd(): void {
    if (!existsSync(PROOF_FOLDER)) return;
    const lines = readdirSync(PROOF_FOLDER)
      .filter(name => name.endsWith('.jsonl'))
      .flatMap(name => readFileSync(join(PROOF_FOLDER, name), 'utf8').trim().split('\n'))
      .map(text => JSON.parse(text) as ProofLine);
    if (lines.length > 0) console.log(tableOf(lines));
    const conditions = readProof<ConditionCounts>('conditions.json');
    if (conditions) console.log(`\nConditions of the writes: ${sentenceOf(conditions)}`);
    const mutants = readProof<readonly { readonly caught?: unknown }[]>('mutants.json');
    if (!mutants) return;
    const caught = mutants.filter(it => it.caught).length;
    console.log(`\nDeliberate bugs: ${caught} of ${mutants.length} caught, ${mutants.length - caught} survived\n`);
  }
}

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${letter}${n + 1}`);
}

function readProof<T>(name: string): T | undefined {
  const file = join(PROOF_FOLDER, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}

function sentenceOf({
  conditions,
  noticedByARace,
  noticedByAWalk,
  coveredByOthers,
  harmless,
}: ConditionCounts): string {
  const noticed = noticedByARace + noticedByAWalk;
  return `${noticed} of ${conditions} are noticed in whole runs when they are missing (races ${noticedByARace}, walks ${noticedByAWalk}), ${coveredByOthers} are covered by others of the same write, ${harmless} let through no harm`;
}

function tableOf(lines: readonly ProofLine[]): string {
  const rows = INVARIANTS.map(invariant => {
    const own = lines.filter(it => it.invariant === invariant);
    const runs = new Map<string, number>();
    for (const { suite, runs: count } of own) runs.set(suite, (runs.get(suite) ?? 0) + count);
    const violations = own.reduce((sum, it) => sum + it.violations, 0);
    const suites = [...runs].map(([suite, count]) => `${suite} ${count.toLocaleString('en-US')}`).join(', ');
    const total = [...runs.values()].reduce((sum, count) => sum + count, 0);
    return `  ${invariant.padEnd(5)}${total.toLocaleString('en-US').padStart(12)}${String(violations).padStart(12)}  ${suites || 'not in this run'}`;
  });
  return `\nInvariant    runs checked  violations  suites\n${rows.join('\n')}`;
}
