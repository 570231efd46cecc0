import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** What the pages number: I of receiving, O and W of sending. */
function numbered(): readonly string[] {
  const text = (page: string) => readFileSync(join(ROOT, 'docs', page), 'utf8');
  const inbound = [...text('understand/how-receiving-works.md').matchAll(/^- \*\*(I\d+)\*\*: /gm)];
  const outbound = [...text('understand/how-sending-works.md').matchAll(/^[|-] \*\*([OW]\d+)\b/gm)];
  return [...inbound, ...outbound].map(it => it[1] as string);
}

/** The numbers in comments `// Holds …` above tests, which may go on over the next comment line. */
function held(): ReadonlySet<string> {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).filter(
    path => path.endsWith('.test.ts') && !path.includes('node_modules'),
  );
  const comments = files.flatMap(path => [
    ...readFileSync(join(ROOT, 'test', path), 'utf8').matchAll(/^ *\/\/ Holds .*(?:\n *\/\/ .*)*/gm),
  ]);
  return new Set(comments.flatMap(([comment]) => comment.match(/\b[IOW]\d+\b/g) ?? []));
}

it('each numbered rule is named above a test that shows it', () => {
  const rules = numbered();
  expect(rules.filter(it => it.startsWith('I'))).toHaveLength(14);
  expect(rules.filter(it => it.startsWith('O'))).toHaveLength(21);
  expect(rules.filter(it => it.startsWith('W'))).toHaveLength(28);
  const shown = held();
  expect(rules.filter(it => !shown.has(it))).toEqual([]);
  expect([...shown].filter(it => !rules.includes(it))).toEqual([]);
});
