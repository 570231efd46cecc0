import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEAN_OPTIONS, lazyBuiltins, oneLazyFile } from '#lib/bundling/lean-plugins.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-plugins-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('modules of Node in a bundle', () => {
  async function bundled(files: Readonly<Record<string, string>>): Promise<{ text: string; load(): Promise<object> }> {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { outputFiles } = await build({
      ...LEAN_OPTIONS,
      mainFields: [...LEAN_OPTIONS.mainFields],
      entryPoints: [join(folder, 'entry.mjs')],
      plugins: [lazyBuiltins()],
      logLevel: 'silent',
    });
    const text = outputFiles[0]?.text ?? '';
    const file = join(folder, `bundle-${Math.random().toString(36).slice(2)}.mjs`);
    await writeFile(file, text);
    return { text, load: () => import(/* @vite-ignore */ file) };
  }

  it('are read for what is imported by name, and for nothing else', async () => {
    const { text, load } = await bundled({
      'entry.mjs': "import { request } from 'node:http'; import 'node:vm'; export const it = request;",
    });
    expect(text).toContain('process.getBuiltinModule("node:http")');
    expect(text).toContain('.request');
    // WebSocket would load all of undici.
    expect(text).not.toMatch(/WebSocket|Agent|node:vm|\bimport\b|defineProperty/);
    expect(await load()).toMatchObject({ it: process.getBuiltinModule('node:http').request });
  });

  it('are whole by default, by namespace, by require and by a lazy import', async () => {
    const { load } = await bundled({
      'entry.mjs': `
        import path from 'node:path';
        import * as url from 'url';
        import old from './old.cjs';
        export const all = [path.join, url.fileURLToPath, old, (await import('node:os')).cpus, (await import('os')).default.cpus];`,
      'old.cjs': "module.exports = require('util').inspect;",
    });
    const { join: joined } = process.getBuiltinModule('node:path');
    const { fileURLToPath } = process.getBuiltinModule('node:url');
    const { inspect } = process.getBuiltinModule('node:util');
    const { cpus } = process.getBuiltinModule('node:os');
    expect(await load()).toMatchObject({ all: [joined, fileURLToPath, inspect, cpus, cpus] });
  });

  it('without an export of that name fail the build', async () => {
    const written = { 'entry.mjs': "export { notThere } from 'node:crypto';" };
    await expect(bundled(written)).rejects.toThrow(/No matching export.*notThere/);
  });
});

describe('one lazy file', () => {
  it('is read in the place of another, whoever imports that one', async () => {
    const files = {
      'entry.js': "export const one = () => import('./rare.js'); export const two = () => import('./more.js');",
      'rare.js': 'export const rare = 1;',
      'more.js': "export * from './rare.js'; export const more = 2;",
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const inFolder = (name: string): string => join(folder, name);
    const built = (plugins: NonNullable<Parameters<typeof build>[0]['plugins']>) =>
      build({
        ...LEAN_OPTIONS,
        mainFields: [...LEAN_OPTIONS.mainFields],
        entryPoints: [inFolder('entry.js')],
        outdir: inFolder('out'),
        splitting: true,
        plugins,
      });
    const lazyOf = ({ metafile }: Awaited<ReturnType<typeof built>>): string[] =>
      Object.values(metafile.outputs)
        .flatMap(it => it.imports)
        .filter(it => it.kind === 'dynamic-import')
        .map(it => it.path);
    expect(new Set(lazyOf(await built([]))).size).toBe(2);
    const together = await built([oneLazyFile(inFolder('rare.js'), inFolder('more.js'))]);
    expect(new Set(lazyOf(together)).size).toBe(1);
  });
});
