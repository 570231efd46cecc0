/** docs/send/batches.md: its example is a batch, and its code reads each message once, where its language is installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const DOCS = join(import.meta.dirname, '../../../docs/send');
const page = readFileSync(join(DOCS, 'batches.md'), 'utf8');
const codeOf = (tag: string): string => page.match(new RegExp(`\`\`\`${tag}\\n([\\s\\S]*?)\`\`\``))?.[1] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'batches-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BODY = JSON.stringify({
  batch: [
    { id: 'msg_1', type: 'a', body: { n: 1 } },
    { id: 'msg_2', type: 'b', body: [1] },
    { id: 'msg_1', type: 'a', body: { n: 1 } },
  ],
});
const isThere = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

it('has an example in each of the six languages', () => {
  const files = [...page.matchAll(/\]\((batch\/[^)]+)\)/g)].map(([, file = '']) => file);
  const texts = [codeOf('js'), ...files.map(file => readFileSync(join(DOCS, file), 'utf8'))];
  expect(texts.filter(text => text.length > 100)).toHaveLength(6);
  const { batch } = JSON.parse(codeOf('json').replaceAll('…', '')) as { batch: object[] };
  expect(batch.map(item => Object.keys(item))).toEqual([1, 2].map(() => ['id', 'type', 'body']));
});

it('Node.js reads each message once', () => {
  const file = join(folder, 'read.mjs');
  const call = `const all = []; readBatch(${JSON.stringify(BODY)}, new Set(), type => all.push(type)); console.log(all.join());`;
  writeFileSync(file, `${codeOf('js')}${call}`);
  expect(spawnSync(process.execPath, [file], { encoding: 'utf8' }).stdout).toBe('a,b\n');
});

it.skipIf(!isThere('python3', '--version'))('Python reads each message once', () => {
  const call = `\nread_batch(${JSON.stringify(BODY)}, set(), lambda kind, body: print(kind))\n`;
  const code = readFileSync(join(DOCS, 'batch/read_batch.py'), 'utf8');
  expect(spawnSync('python3', ['-c', code + call], { encoding: 'utf8' }).stdout).toBe('a\nb\n');
});
