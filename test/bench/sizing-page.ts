/** The rows that were written, and the table that docs/operate/scale.md shows of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LoadName, type Row, sizingTable } from '#bench/sizing/rows.ts';

/** Written by `npm run bench -- h --write`. */
export function readSizing(): Readonly<Record<LoadName, Row>> {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../bench/data/sizing.json'), 'utf8'));
}

export function renderSizing(): string {
  const { head, rows } = sizingTable(Object.values(readSizing()));
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`);
  return ['', ...lines, ''].join('\n');
}
