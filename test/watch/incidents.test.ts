/** Each command that a runbook prints is typed once where its incident can be made (answer-pages.watch.ts), or says why not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { INCIDENTS } from './runbooks/incidents.ts';

const DOCS = join(import.meta.dirname, '../../docs/runbooks');
const rows = Object.entries(INCIDENTS).flatMap(([page, it]) => ('make' in it ? [{ page, ...it }] : []));

it.each(rows)('$page: every command is typed', ({ page, further = [], after = [], untyped = {} }) => {
  const text = readFileSync(join(DOCS, `${page}.md`), 'utf8');
  const [, first = ''] = /\n## First\n\n`holdfast (.*?) --env \$ENV`\n/.exec(text) ?? [];
  const printed = new Set(
    [...text.matchAll(/`holdfast ([^`]+?)(?: --env \$ENV)?`/g)].map(([, command = '']) => command),
  );
  const typed = new Set([first, ...[...further, ...after].map(({ prints }) => prints), ...Object.keys(untyped)]);
  expect([...printed].filter(command => !typed.has(command))).toEqual([]);
  const stale = Object.keys(untyped).filter(command => !printed.has(command));
  expect(stale, 'not on the page any more').toEqual([]);
});
