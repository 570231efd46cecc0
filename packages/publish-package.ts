/** The package `holdfast-publish`: `holdfast/publish` alone, for a backend that has no gateway in its repository. */
import { readdirSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { described, type Manifest, versionOf } from './manifest.ts';
import { writeJson } from './write-json.ts';

/** The files whose declarations name what it exports. */
const DECLARED = ['sdk/publish', 'adapters/aws/sign-for-iam'];

/** `holdfast`: the built package, which has the declarations if any were made. */
export async function publishPackage(folder: string, own: Manifest, holdfast: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: join(import.meta.dirname, '..'),
    entryPoints: ['sdk/publish/index.ts'],
    outfile: join(folder, 'dist/sdk/publish/index.js'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node22',
    metafile: true,
    logLevel: 'error',
  });
  for (const path of readdirSync(join(holdfast, 'dist'), { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.d.ts') && DECLARED.some(each => path.startsWith(each)))
      await cp(join(holdfast, 'dist', path), join(folder, 'dist', path));
  await cp(join(import.meta.dirname, 'publish/README.md'), join(folder, 'README.md'));
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => nameOf(path)));
  const needed = [...new Set(imported.filter(name => !name.startsWith('node:')))].sort();
  await writeJson(join(folder, 'package.json'), {
    name: 'holdfast-publish',
    description: 'Publishes webhooks to your customers through a Holdfast gateway.',
    ...described(own),
    sideEffects: false,
    exports: { '.': { types: './dist/sdk/publish/index.d.ts', default: './dist/sdk/publish/index.js' } },
    files: ['dist'],
    dependencies: Object.fromEntries(needed.map(name => [name, versionOf(own, name)])),
  });
  return folder;
}

/** `@smithy/core/checksum` is in the package `@smithy/core`. */
const nameOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
