/** The agreement table, printed and as test/oracles/RESULTS.md. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { DisagreementKind, Explanation } from './disagreements.ts';
import type { Oracle } from './oracle.ts';

export interface Disagreement {
  readonly name: string;
  readonly sdk: boolean;
  readonly ours: boolean;
  readonly cause: string;
  readonly explanation: Explanation | undefined;
}

export interface Compared {
  readonly oracle: Oracle;
  readonly version: string;
  readonly cases: number;
  readonly disagreements: Disagreement[];
}

/** The installed version: that of package.json, which is pinned. */
export function versionOf(sdk: string): string {
  const { version } = JSON.parse(readFileSync(new URL(`node_modules/${sdk}/package.json`, import.meta.url), 'utf8'));
  return version;
}

/** Of more packages only the number is said; disagreements.ts has their names. */
const NAMED = 2;

const KINDS: readonly DisagreementKind[] = ['stricter', 'theirs', 'wider'];
const count = ({ disagreements }: Compared, kind: DisagreementKind): number =>
  disagreements.filter(({ explanation }) => explanation?.kind === kind).length;

function rows(compared: readonly Compared[]): string[][] {
  return compared.map(it => [
    it.oracle.scheme && it.oracle.scheme !== it.oracle.provider
      ? `${it.oracle.provider} (${it.oracle.scheme})`
      : it.oracle.provider,
    `${it.oracle.sdk}@${it.version}`,
    String(it.cases),
    ...KINDS.map(kind => String(count(it, kind))),
  ]);
}

const HEAD = ['provider', 'SDK', 'cases', 'stricter', 'wrong', 'wider'];

function total(compared: readonly Compared[]): string[] {
  const sum = (of: (it: Compared) => number): string => String(compared.reduce((all, it) => all + of(it), 0));
  const packages = new Set(compared.map(({ oracle }) => oracle.sdk)).size;
  return ['all', `${packages} packages`, sum(it => it.cases), ...KINDS.map(kind => sum(it => count(it, kind)))];
}

export function printReport(compared: readonly Compared[]): void {
  const table = [HEAD, ...rows(compared), total(compared)];
  const widths = HEAD.map((_, column) => Math.max(...table.map(row => row[column]?.length ?? 0)));
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join('  '));
  }
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** One line for each reason: the cases, whom they concern, and why. */
function reasons(compared: readonly Compared[], kind: DisagreementKind): string[] {
  const found = new Map<string, { readonly cases: Set<string>; readonly sdks: Set<string> }>();
  for (const { oracle, disagreements } of compared) {
    for (const { name, explanation } of disagreements) {
      if (explanation?.kind !== kind) continue;
      const { cases, sdks } = found.get(explanation.why) ?? { cases: new Set(), sdks: new Set() };
      found.set(explanation.why, { cases: cases.add(name), sdks: sdks.add(oracle.sdk) });
    }
  }
  return [...found].map(([why, { cases, sdks }]) => {
    const who = sdks.size > NAMED ? `${sdks.size} packages` : [...sdks].join(', ');
    return `- **${[...cases].join('; ')}** (${who}): ${why}.`;
  });
}

export async function writeReport(compared: readonly Compared[]): Promise<void> {
  const line = (row: readonly string[]): string => `| ${row.map(cell).join(' | ')} |`;
  const section = (title: string, kind: DisagreementKind): string[] => [
    `**${title}**`,
    '',
    ...reasons(compared, kind),
    '',
  ];
  const document = [
    '# Our engine beside the official SDKs',
    '',
    'Written by `npm run oracles`: run it when a spec, the engine or an SDK changes. Both sides get genuine, damaged and',
    'forged requests, the SDKs as their users call them. They agree but for the reasons below; without one, the job fails.',
    '',
    line(HEAD),
    '|---|---|--:|--:|--:|--:|',
    ...rows(compared).map(line),
    line(total(compared)),
    '',
    ...section('Stricter: the SDK accepts the request, we refuse it', 'stricter'),
    ...section('Wrong: the request is genuine, and the SDK refuses it or throws', 'theirs'),
    ...section('Wider: we accept it on purpose; it proves the same', 'wider'),
    '## What we send',
    '',
    'These must accept every genuine request of ours and no other, or the job fails:',
    '',
    '- the Standard Webhooks libraries of JavaScript, Python and Go, and `svix`, around a rotation of secrets;',
    "- the portal's code for customers in Node.js, Python, Go, Java, Ruby and PHP, for all four forms of signature. A",
    '  language that is not installed is named as `NOT RUN`.',
    '',
  ];
  await writeFile(new URL('RESULTS.md', import.meta.url), document.join('\n'));
}
