/** The table of docs/testing.md: calls × faults, as a run of all of it made them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBlock } from '#test/written/block.ts';
import { CALL_FAULTS, type CallFault } from './fault-gate.ts';

export interface MatrixRow {
  readonly journey: string;
  readonly function: string;
  /** Of the call. */
  readonly name: string;
  readonly fault: CallFault;
  /** False: the run did not come to the call again. */
  readonly happened: boolean;
}

const PAGE = join(import.meta.dirname, '../../docs/testing.md');

/** Writes the table into the page, after a run of all faults. */
export function writeMatrix(rows: readonly MatrixRow[]): void {
  writeFileSync(PAGE, withBlock(readFileSync(PAGE, 'utf8'), 'bundles', `\n${tableOf(rows)}\n`));
}

/** A row for each call of a journey; under each fault, how often it happened. */
export function tableOf(rows: readonly MatrixRow[]): string {
  const lines = new Map<string, Map<CallFault, number>>();
  for (const { journey, function: by, name, fault, happened } of rows) {
    // Names of tables and queues without the stage's prefix and CloudFormation's hash.
    const key = `${journey} | \`${by}\` | \`${name.replace(/\b[a-z]+-(?=[A-Z])|[0-9A-F]{8}\b/g, '')}\``;
    const counts = lines.get(key) ?? new Map<CallFault, number>();
    counts.set(fault, (counts.get(fault) ?? 0) + Number(happened));
    lines.set(key, counts);
  }
  const head = `| journey | function | call | ${CALL_FAULTS.join(' | ')} |`;
  const body = [...lines].map(
    ([key, counts]) => `| ${key} | ${CALL_FAULTS.map(it => counts.get(it) ?? '').join(' | ')} |`,
  );
  return [head, `|${'---|'.repeat(3 + CALL_FAULTS.length)}`, ...body].join('\n');
}
