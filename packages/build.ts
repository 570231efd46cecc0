/**
 * `npm run package`: makes `holdfast`, `create-holdfast` and `holdfast-publish` in .holdfast/packages/, and their tarballs.
 * JavaScript, declarations and source maps are compiled file by file from the sources that this repository runs.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { given } from '#core/given.ts';
import { createPackage } from './create-package.ts';
import { holdfastManifest, type Manifest } from './manifest.ts';
import { publishPackage } from './publish-package.ts';
import { isPage } from './shipped-pages.ts';
import { writeJson } from './write-json.ts';

const ROOT = join(import.meta.dirname, '..');
const ROOMS = [
  'sdk',
  'cdk',
  'core',
  'adapters',
  'providers',
  'lambdas',
  'lib',
  'operator',
  'console',
  'mcp',
  'ui',
  'portal',
  'cli',
  'local',
  'bin',
];
const TEXTS = ['LICENSE', 'CHANGELOG.md', 'UPGRADING.md'];

export interface BuildOptions {
  /** @default `.holdfast/packages` in the repository */
  readonly folder?: string;
  /** Without them a person's editor and `tsc` know nothing of the package. @default true */
  readonly declarations?: boolean;
  /** Where the repository is, for a checkout whose package.json does not say it. */
  readonly repository?: string;
}

export interface BuiltPackages {
  readonly holdfast: string;
  readonly create: string;
  readonly publish: string;
}

/** Builds the packages and answers with their folders. Throws when a file does not compile. */
export async function buildPackages(options: BuildOptions = {}): Promise<BuiltPackages> {
  const { folder = join(ROOT, '.holdfast/packages'), declarations = true } = options;
  const manifest: Manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const own: Manifest = { ...manifest, ...given({ repository: options.repository }) };
  const holdfast = join(folder, 'holdfast');
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(holdfast, 'dist'), { recursive: true });

  const tracked = filesOf(...ROOMS);
  const sources = tracked.filter(path => /\.tsx?$/.test(path) && !path.startsWith('providers/_'));
  await compile(sources, join(holdfast, 'dist'));
  if (declarations) await declare(holdfast, sources);
  for (const path of tracked.filter(each => !/\.tsx?$|tsconfig\.json$/.test(each) && !each.startsWith('bin/')))
    await copy(path, join(holdfast, 'dist', path));
  // A text, which `sources new` writes anew.
  await copy('providers/_template.ts', join(holdfast, 'dist/providers/_template.ts'));
  // Messages name pages, and `holdfast runbook` prints them.
  const pages = filesOf('docs').filter(isPage);
  await copy('cdk.json', join(holdfast, 'dist/cdk.json'));
  for (const path of pages) await copy(path, join(holdfast, 'dist', path));
  for (const path of TEXTS) await copy(path, join(holdfast, path));
  await copy('packages/README.md', join(holdfast, 'README.md'));
  await writeJson(join(holdfast, 'package.json'), holdfastManifest(own));

  const create = await createPackage(join(folder, 'create-holdfast'), own);
  const publish = await publishPackage(join(folder, 'holdfast-publish'), own, holdfast);
  for (const each of [create, publish]) await copy('LICENSE', join(each, 'LICENSE'));
  return { holdfast, create, publish };
}

/** The tarball of each folder, beside it. */
export function packAll({ holdfast, create, publish }: BuiltPackages): BuiltPackages {
  const pack = (folder: string): string => {
    const args = ['pack', '--silent', '--pack-destination', dirname(folder)];
    return join(dirname(folder), execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }).trim());
  };
  return { holdfast: pack(holdfast), create: pack(create), publish: pack(publish) };
}

const filesOf = (...folders: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--', ...folders], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');

async function compile(sources: readonly string[], outdir: string): Promise<void> {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: [...sources],
    outdir,
    outbase: ROOT,
    bundle: false,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: 'linked',
    write: false,
    logLevel: 'error',
  });
  for (const { path, text } of result.outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, path.endsWith('.js') ? withPublishedImports(text, relative(outdir, path)) : text);
  }
}

/** Of everything but the functions' code, whose types nobody imports. */
async function declare(holdfast: string, sources: readonly string[]): Promise<void> {
  const config = join(ROOT, `tsconfig.declarations-${process.pid}.json`);
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: join(holdfast, 'dist'),
    rootDir: ROOT,
  };
  const files = ['sdk/index.ts', 'sdk/testing/index.ts', 'sdk/publish/index.ts', 'cdk/index.ts'];
  await writeJson(config, { extends: './tsconfig.json', compilerOptions, include: [], files });
  try {
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config], { stdio: 'inherit' });
  } finally {
    await rm(config);
  }
  for (const path of sources) {
    const file = join(holdfast, 'dist', path.replace(/\.tsx?$/, '.d.ts'));
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) await writeFile(file, withPublishedImports(text, path));
  }
}

/**
 * Imports as they must be in the package: of `#core/x.ts` and `./x.ts` the compiled file beside it. Left alone is
 * `#handlers/index.ts`: the bundler puts the project's handlers there.
 */
export function withPublishedImports(code: string, path: string): string {
  const specifier = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])((?:#|\.\.?\/)[^"']+)\.tsx?\2/g;
  return code.replace(specifier, (whole, before: string, quote: string, target: string) => {
    if (target.startsWith('#handlers/')) return whole;
    if (!target.startsWith('#')) return `${before}${quote}${target}.js${quote}`;
    const to = relative(dirname(path), target.slice(1));
    return `${before}${quote}${to.startsWith('.') ? to : `./${to}`}.js${quote}`;
  });
}

async function copy(path: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(join(ROOT, path), to, { recursive: true });
}

if (import.meta.main) for (const path of Object.values(packAll(await buildPackages()))) console.log(path);
