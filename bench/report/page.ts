/** bench/RESULTS.md: a head, and one part per benchmark between markers, so that a run replaces only its own parts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { jsonText } from '#test/written/json-text.ts';
import { drawChart } from './chart.ts';
import { type KnownNumbers, type Section, toMarkdown } from './section.ts';

const ROOT = join(import.meta.dirname, '../..');
export const PAGE = join(ROOT, 'bench/RESULTS.md');
const CHART = join(ROOT, 'docs/understand/measured.svg');
const NUMBERS = join(ROOT, 'bench/data/numbers.json');
/** The last one is no benchmark's: a run keeps it. */
const ORDER = 'abcdefghji';

const HEAD = `# Performance and cost, measured

![What it costs and how fast it is, each figure beside its target](../docs/understand/measured.svg)

Written by \`npm run bench -- --write\`, on one machine against local stand-ins: **not on AWS**. Counts are the same there; dollars and latencies are **predicted**. Times are CPU (user and system) of child processes, beside something that ran in the same round: medians, quartiles in brackets. A target's brackets hold what was hoped for at best. [Measured](../docs/understand/measured.md) says how to repeat, judge and calibrate them. \`--quick\` repeats (a), (b), (c) and (f) in five minutes. (d) and (g) need a JDK 17 and Maven; (d) takes its peers' servers from Debian's packages.
`;

export function readNumbers(): KnownNumbers {
  return existsSync(NUMBERS) ? (JSON.parse(readFileSync(NUMBERS, 'utf8')) as KnownNumbers) : {};
}

/** What ran where, for the head of a section. */
function machine(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown CPU'}, ${memory} GB, Node ${process.version}, load ${loadavg()[0]?.toFixed(0)}`;
}

/** Replaces these sections in the page's text and keeps all others. */
export function mergeSections(page: string, sections: readonly Section[], stamp: string): string {
  const parts = new Map<string, string>();
  for (const [, id = '', text = ''] of page.matchAll(/<!-- bench:(\w) -->\n([\s\S]*?)<!-- \/bench:\1 -->/g)) {
    parts.set(id, text);
  }
  for (const section of sections) parts.set(section.id, `${toMarkdown(section)}\n_${stamp}_\n`);
  const ordered = [...parts].sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b));
  return [HEAD, ...ordered.map(([id, text]) => `<!-- bench:${id} -->\n${text}<!-- /bench:${id} -->\n`)].join('\n');
}

/** Writes the page and the numbers. */
export function writeSections(sections: readonly Section[], date: Date, mode: string): void {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  writeFileSync(PAGE, mergeSections(page, sections, `${date.toISOString().slice(0, 10)}, ${machine()}, ${mode} run.`));
  const known = sections.flatMap(({ id, numbers }) => (numbers === undefined ? [] : [[id, numbers] as const]));
  const numbers: KnownNumbers = { ...readNumbers(), ...Object.fromEntries(known) };
  const sorted = Object.fromEntries(Object.entries(numbers).sort(([a], [b]) => a.localeCompare(b)));
  writeFileSync(NUMBERS, jsonText(sorted));
  writeFileSync(CHART, drawChart(sorted));
  for (const { data = {} } of sections) {
    for (const [path, value] of Object.entries(data)) writeFileSync(join(ROOT, path), jsonText(value));
  }
}
