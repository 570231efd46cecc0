/** docs/understand/sending-requirements.md: a line for each requirement, each with a path that exists, counted as the page says. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { inlineCode, ROOT, readPages, relativeLinks } from './pages.ts';

const PATH = 'docs/understand/sending-requirements.md';
const text = readPages().find(({ path }) => path === PATH)?.text ?? '';
const lines = text.split('\n').flatMap(line => {
  const [, number, asked = '', does = '', shown = ''] = line.split('|').map(cell => cell.trim());
  return /^\d+$/.test(number ?? '') ? [{ number: Number(number), asked, does, shown }] : [];
});

it('has each of the 92 requirements once, in their order', () => {
  expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: 92 }, (_, at) => at + 1));
  for (const { number, asked, does } of lines)
    expect(Math.min(asked.length, does.length), `${number}`).toBeGreaterThan(3);
});

it('shows each by a file that exists', () => {
  const wrong = lines.flatMap(({ number, shown }) => {
    const cell = { path: join(dirname(PATH), 'line.md'), text: shown };
    const paths = [...inlineCode(cell), ...relativeLinks(cell).map(({ file }) => file)];
    if (paths.length === 0) return [`${number} names nothing`];
    return paths.filter(path => !path.includes('/') || !existsSync(join(ROOT, path))).map(path => `${number} ${path}`);
  });
  expect(wrong).toEqual([]);
});

it('counts them as they are', () => {
  const partly = lines.filter(({ does }) => does.startsWith('**Partly.** ')).length;
  const missing = lines.filter(({ does }) => does.startsWith('**Not built')).length;
  expect(text).toContain(
    `Of the 92, ${92 - partly - missing} are there, ${partly} are there in part, and ${missing} are not built.`,
  );
});
