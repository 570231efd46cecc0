/**
 * The 92 requirements that three documents made of sending: what was asked, what is done, and what shows it. Those that are not
 * whole stand in a decision.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import rows from '#test/requirements/sending.json' with { type: 'json' };
import { ROOT } from './pages.ts';

interface Requirement {
  readonly number: number;
  readonly asked: string;
  readonly does: string;
  readonly there?: string;
  readonly shownBy: readonly string[];
}
const requirements: readonly Requirement[] = rows;

it('has each of the 92 once, in their order', () => {
  expect(requirements.map(({ number }) => number)).toEqual(Array.from({ length: 92 }, (_, at) => at + 1));
  for (const { number, asked, does } of requirements)
    expect(Math.min(asked.length, does.length), `${number}`).toBeGreaterThan(3);
});

it('shows each by a file that exists', () => {
  const wrong = requirements.flatMap(({ number, shownBy }) =>
    shownBy.length === 0
      ? [`${number} names nothing`]
      : shownBy.filter(path => !path.includes('/') || !existsSync(join(ROOT, path))).map(path => `${number} ${path}`),
  );
  expect(wrong).toEqual([]);
});

it('says in a decision which ones are not whole', () => {
  const decision = readFileSync(join(ROOT, 'docs/decisions/what-sending-leaves-out.md'), 'utf8');
  const partly = requirements.filter(({ there }) => there !== undefined);
  expect(partly.length).toBeGreaterThan(0);
  for (const { number, asked } of partly) expect(decision).toContain(`| ${number} | ${asked} |`);
});
