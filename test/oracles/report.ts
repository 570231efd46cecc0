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
    String(it.cases - it.disagreements.length),
    ...KINDS.map(kind => String(count(it, kind))),
  ]);
}

const HEAD = ['provider', 'SDK', 'cases', 'agree', 'we are stricter', 'they are wrong', 'we accept more'];

function total(compared: readonly Compared[]): string[] {
  const sum = (of: (it: Compared) => number): string => String(compared.reduce((all, it) => all + of(it), 0));
  const packages = new Set(compared.map(({ oracle }) => oracle.sdk)).size;
  return [
    'all',
    `${packages} packages`,
    sum(it => it.cases),
    sum(it => it.cases - it.disagreements.length),
    ...KINDS.map(kind => sum(it => count(it, kind))),
  ];
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

/** One row for each reason: the case, whom it concerns, and why. */
function reasons(compared: readonly Compared[], kind: DisagreementKind): string[] {
  const found = new Map<string, string[]>();
  for (const { oracle, version, disagreements } of compared) {
    for (const { name, explanation } of disagreements) {
      if (explanation?.kind !== kind) continue;
      const key = `${cell(name)} | ${cell(explanation.why)}`;
      found.set(key, [...(found.get(key) ?? []), `${oracle.sdk} ${version}`]);
    }
  }
  return [...found].map(([key, sdks]) => {
    const [name, why] = key.split(' | ');
    return `| ${name} | ${[...new Set(sdks)].join(', ')} | ${why} |`;
  });
}

export async function writeReport(compared: readonly Compared[]): Promise<void> {
  const line = (row: readonly string[]): string => `| ${row.map(cell).join(' | ')} |`;
  const section = (title: string, text: string, kind: DisagreementKind): string[] => [
    `## ${title}`,
    '',
    text,
    '',
    '| case | SDK | why |',
    '|---|---|---|',
    ...reasons(compared, kind),
    '',
  ];
  const document = [
    '# Our engine beside the official SDKs',
    '',
    'Written by `npm run oracles`; do not edit. The job installs the SDKs in a workspace of its own (`oracles/`), which is no',
    'part of the product and not of `npm test`: run it when a spec, the engine or an SDK changes. It makes genuine, damaged',
    'and forged requests for each provider, asks both sides, and fails when they disagree without a reason below. The SDKs',
    'are called as their users call them: with the raw bytes where they take them, else with the bytes decoded as UTF-8.',
    '',
    line(HEAD),
    '|---|---|--:|--:|--:|--:|--:|',
    ...rows(compared).map(line),
    line(total(compared)),
    '',
    ...section('We are stricter', 'The SDK accepts the request; we refuse it.', 'stricter'),
    ...section('They are wrong', 'The request is genuine, and the SDK refuses it or throws.', 'theirs'),
    ...section('We accept more', 'We accept it on purpose; it proves the same.', 'wider'),
    '## What was called',
    '',
    '| provider | call |',
    '|---|---|',
    ...compared.map(({ oracle }) => line([oracle.scheme ?? oracle.provider, `\`${oracle.sdk}\` ${oracle.call}`])),
    '',
    '## What we send',
    '',
    'The same job asks others about the requests that we sign:',
    '',
    '- The official Standard Webhooks libraries of JavaScript, Python and Go, and `svix`, get what the real sender puts on',
    '  the wire, before, in and after a rotation of secrets (`test/oracles/outbound/run.ts`).',
    '- The code that the portal gives to customers runs in Node.js, Python, Go, Java, Ruby and PHP, for each of the four',
    '  forms of signature, on genuine and changed requests (`test/oracles/outbound/portal-code.ts`). A language that is not',
    '  installed is named as `NOT RUN`.',
    '',
    'Each must accept every genuine request and no other; the job fails when one does not.',
    '',
  ];
  await writeFile(new URL('RESULTS.md', import.meta.url), document.join('\n'));
}
