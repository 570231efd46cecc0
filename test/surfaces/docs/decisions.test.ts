/** Decisions have plain names, one form, and are found from the code that rests on them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './pages.ts';

const FOLDER = join(ROOT, 'docs/decisions');
const pages = readdirSync(FOLDER).filter(name => name !== 'README.md');

it('each has its title as its name, and says when it was made and what it costs', () => {
  const wrong = pages.filter(name => {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    const title = /^# (.*)\n/.exec(text)?.[1] ?? '';
    const plain = title.toLowerCase().replaceAll(/[';,]/g, '').replaceAll(' ', '-');
    const form = /\nDecided 20\d\d-\d\d-\d\d/.test(text) && text.includes('**Costs');
    return !form || !plain.startsWith(name.slice(0, -'.md'.length));
  });
  expect(wrong).toEqual([]);
});

it('each that a file names is there', () => {
  const lines = execFileSync('git', ['grep', '-hoE', 'decisions/[a-z0-9-]+(\\.md)?|[Dd]ecision 0[0-9]+'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const named = new Set(
    lines
      .trim()
      .split('\n')
      .map(it => it.replace('decisions/', '')),
  );
  expect(named.size).toBeGreaterThan(15);
  expect([...named].filter(name => name !== 'README.md' && !pages.includes(name))).toEqual([]);
});
