/** The rows that were written, and the table that docs/operate/scale.md shows of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kept, LOADS, type LoadName, type Row, rowOf, sizingTable } from '#bench/sizing/rows.ts';

/** Written by `npm run bench -- h --write`. */
export function readSizing(): Readonly<Record<LoadName, Row>> {
  const file = join(import.meta.dirname, '../../bench/data/sizing.json');
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<LoadName, Kept>>;
  const rows = Object.entries(LOADS).map(([name, load]) => [name, rowOf(load, kept[name as LoadName])]);
  return Object.fromEntries(rows) as Record<LoadName, Row>;
}

export function renderSizing(): string {
  const { head, rows } = sizingTable(Object.values(readSizing()));
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`);
  return ['', ...lines, ''].join('\n');
}
