/**
 * Each export has a docstring; each that is a value has an example, and the examples compile. An export that comes or goes is
 * seen in docs/reference/exports.md, which `npm run write` makes (test/written/written.test.ts).
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRIES, exportsOf, ROOT } from './public-exports.ts';

/** What the examples of `holdfast/cdk` take for granted. */
const PRELUDE = `import { type App, Stack, Tags } from 'aws-cdk-lib/core';
declare const app: App, gateway: GatewayConfig, handlers: HandlerRegistry;`;

describe.each(Object.entries(ENTRIES))('%s', (_entry, file) => {
  const all = exportsOf(file);

  it('says of every export what it is', () => {
    expect(all.filter(({ doc }) => (doc ?? '').length < 20).map(({ name, file: path }) => `${path}: ${name}`)).toEqual(
      [],
    );
  });

  it('shows every value in use', () => {
    const without = all.filter(({ isType, doc }) => !isType && !doc?.includes('@example\n'));
    expect(without.map(({ name, file: path }) => `${path}: ${name}`)).toEqual([]);
  });
});

it('every example compiles', () => {
  const all = Object.entries(ENTRIES).map(([entry, file]) => ({ entry, exports: exportsOf(file) }));
  const imports = all.map(({ entry, exports }) => {
    const names = exports.map(({ name, isType }) => (isType ? `type ${name}` : name));
    return `import { ${names.join(', ')} } from '${entry}';`;
  });
  const bodies = all.flatMap(({ exports }) =>
    exports.flatMap(({ name, doc }) => {
      const code = doc?.split('@example\n')[1]?.replaceAll(/^export /gm, '');
      if (code === undefined) return [];
      return [
        `export async function of_${name}(event: WebhookEvent, context: HandlerContext) {\n${code}\nreturn [event, context];\n}`,
      ];
    }),
  );
  expect(bodies.length).toBeGreaterThan(30);
  const folder = join(ROOT, `.holdfast/examples-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, 'examples.ts'), [...imports, PRELUDE, ...bodies].join('\n'));
    const compilerOptions = { noUnusedLocals: false, noImplicitReturns: false };
    const config = { extends: '../../tsconfig.json', compilerOptions, include: ['examples.ts'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--project', folder], { encoding: 'utf8' });
    expect(tsc.stdout).toBe('');
    expect(tsc.status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
