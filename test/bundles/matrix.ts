/** Calls × faults, as a run of all of it made them: their number in test/RESULTS.md, each of them in calls.txt. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBlock } from '#test/written/block.ts';
import { CALL_FAULTS, type CallFault } from './fault-gate.ts';
import { JOURNEYS } from './journeys/journeys.ts';
import { BY_DEFAULT } from './journeys/receiving.ts';

export interface MatrixRow {
  readonly journey: string;
  readonly function: string;
  /** Of the call. */
  readonly name: string;
  readonly fault: CallFault;
  /** False: the run did not come to the call again. */
  readonly happened: boolean;
}

const PAGE = join(import.meta.dirname, '../RESULTS.md');
const CALLS = join(import.meta.dirname, 'calls.txt');

/** Writes both, after a run of all faults. */
export function writeMatrix(rows: readonly MatrixRow[], at: Date): void {
  const day = at.toISOString().slice(0, 10);
  const text = `\nOf ${day}: ${rows.length} faults in ${new Set(rows.map(it => it.journey)).size} journeys. [What each calls, and what is judged after it](bundles/calls.txt).\n`;
  writeFileSync(PAGE, withBlock(readFileSync(PAGE, 'utf8'), 'bundles', text));
  writeFileSync(CALLS, `${tableOf(rows)}\n\n${judgedTable()}\n`);
}

/** What the books say after each run. */
export function judgedTable(): string {
  const names = new Map<string, string[]>();
  for (const { judged, name } of JOURNEYS)
    if (!name.startsWith(BY_DEFAULT)) names.set(judged, [...(names.get(judged) ?? []), name]);
  const body = [...names].map(([judged, journeys]) => `| ${judged} | ${journeys.join('; ')} |`);
  return ['| judged after each run | journeys |', '|---|---|', ...body].join('\n');
}

/** `journey | function` and its calls, as they were written. */
export function rowsWritten(): readonly string[] {
  const [calls = ''] = readFileSync(CALLS, 'utf8').split('\n\n');
  return calls
    .split('\n')
    .slice(2)
    .map(line => line.split(' | ').slice(0, 3))
    .map(([journey = '', by = '', calls = '']) => rowOf(journey.replace('| ', ''), by, calls.split(', ')))
    .toSorted();
}
const rowOf = (journey: string, by: string, calls: readonly string[]): string =>
  `${journey} | ${by} | ${calls.toSorted().join(', ')}`;

/** The same of a run. */
export const rowsOfRun = (calls: ReadonlyMap<Pick<MatrixRow, 'journey' | 'function'>, readonly string[]>) =>
  [...calls]
    .map(([of, names]) => rowOf(of.journey, `\`${of.function}\``, [...new Set(names.map(it => `\`${callName(it)}\``))]))
    .toSorted();

/** A call by the names of tables and queues without the stage's prefix and CloudFormation's hash. */
export const callName = (name: string): string => name.replace(/\b[a-z]+-(?=[A-Z])|[0-9A-F]{8}\b/g, '');

/** A row for each function of a journey, with its calls, and to how many of them each fault happened. */
export function tableOf(rows: readonly MatrixRow[]): string {
  const lines = new Map<string, { calls: Set<string>; counts: Map<CallFault, number> }>();
  const order = JOURNEYS.map(it => it.name);
  const sorted = rows.toSorted((a, b) => order.indexOf(a.journey) - order.indexOf(b.journey));
  for (const { journey, function: by, name, fault, happened } of sorted) {
    const key = `${journey} | \`${by}\``;
    const line = lines.get(key) ?? { calls: new Set(), counts: new Map() };
    line.calls.add(`\`${callName(name)}\``);
    line.counts.set(fault, (line.counts.get(fault) ?? 0) + Number(happened));
    lines.set(key, line);
  }
  const head = '| journey | function | calls | each fault |';
  const body = [...lines].map(([key, { calls, counts }]) => {
    const times = CALL_FAULTS.map(it => counts.get(it) ?? 0);
    const each = new Set(times).size === 1 ? `${times[0]}` : times.join(', ');
    return `| ${key} | ${[...calls].join(', ')} | ${each} |`;
  });
  return [head, '|---|---|---|---|', ...body].join('\n');
}
