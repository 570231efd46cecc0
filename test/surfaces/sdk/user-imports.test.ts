/**
 * Handlers, examples, gateway.config.ts, provider files and the code of the docs import 'holdfast', 'holdfast/testing',
 * each other, and packages that are not ours. Nothing inside the gateway is theirs to know.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './public-exports.ts';

const IMPORT = /^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gms;

function importsIn(code: string): string[] {
  return [...code.matchAll(IMPORT)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '');
}

/** What the docs also show: the code of a producer's backend, and of a CDK app. */
const ALSO_IN_DOCS = ['holdfast/publish', 'holdfast/cdk'];

/** What `specifier`, found in `file`, may not be. */
function isOurs(file: string, specifier: string): boolean {
  if (specifier.startsWith('#')) return !/^#(?:handlers|providers)\//.test(specifier);
  if (!specifier.startsWith('.')) return specifier.startsWith('holdfast/') && specifier !== 'holdfast/testing';
  const target = normalize(join(dirname(file), specifier));
  return !/(?:^|^test\/fixtures\/project\/)(?:handlers|providers)\//.test(target);
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const FOLDERS = [
  'gateway.config.ts',
  'handlers/**/*.ts',
  'providers/*.ts',
  'docs/**/*.ts',
  'test/fixtures/project/**/*.ts',
];
const files = globSync(FOLDERS, { cwd: ROOT });
const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: ROOT }).filter(path => !path.includes('decisions'));
const blocks = pages.flatMap(path =>
  [...read(path).matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => ({ path, code })),
);

it('finds what it looks at', () => {
  expect(files.length).toBeGreaterThan(60);
  expect(blocks.length).toBeGreaterThan(10);
  expect(importsIn(read('test/fixtures/project/handlers/index.ts'))).toContain('holdfast');
  expect(isOurs('handlers/a.ts', '#core/ports.ts')).toBe(true);
  expect(isOurs('handlers/a.ts', '../core/ports.ts')).toBe(true);
  expect(isOurs('handlers/examples/a.ts', '../index.ts')).toBe(false);
});

it.each(files)('%s imports nothing of the gateway but its public face', file => {
  const shown = file.startsWith('docs/') ? ALSO_IN_DOCS : [];
  const found = importsIn(read(file)).filter(specifier => isOurs(file, specifier));
  expect(found.filter(specifier => !shown.includes(specifier))).toEqual([]);
});

it('no code in the docs does either', () => {
  const wrong = blocks.flatMap(({ path, code }) =>
    importsIn(code)
      // A block shows a file of handlers/: its relative imports are those of that file.
      .filter(specifier => !specifier.startsWith('./') && isOurs('handlers/examples/x.ts', specifier))
      .filter(specifier => !ALSO_IN_DOCS.includes(specifier))
      .map(specifier => `${path}: ${specifier}`),
  );
  expect(wrong).toEqual([]);
});
