import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { ResolvedConfig } from '#core/resolved-config.ts';
import { type Bundles, FUNCTION_NAMES, type FunctionName } from './function-names.ts';
import { isolatedLazyImports, LEAN_OPTIONS, lazyBuiltins, withoutUnusedParts } from './lean-plugins.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

export interface BundleOptions {
  readonly config: ResolvedConfig;
  /** @default all */
  readonly functions?: readonly FunctionName[];
  /** @default `.holdfast/bundles/<environment>` in the repository */
  readonly outputFolder?: string;
}

/**
 * Bundles the functions of one environment and returns their folders. The SDK is bundled (the runtime's own starts twice
 * as slow) and the resolved configuration is baked in, because a function's environment holds 4 KB in all. The same
 * sources and configuration give the same bytes. Throws when a handler file is missing or does not compile.
 */
export async function bundleFunctions(options: BundleOptions): Promise<Bundles> {
  const folder = options.outputFolder ?? join(REPOSITORY, '.holdfast/bundles', options.config.environment);
  const names = options.functions ?? FUNCTION_NAMES;
  const missing = names.filter(name => !existsSync(handlerFile(name)));
  if (missing.length > 0) {
    const files = missing.map(name => relative(REPOSITORY, handlerFile(name))).join(', ');
    throw new Error(`There is nothing to bundle: ${files} is missing. Each must export \`handler\`.`);
  }
  await Promise.all(names.map(name => bundleFunction(name, join(folder, name), options.config)));
  return Object.fromEntries(FUNCTION_NAMES.map(name => [name, join(folder, name)])) as Bundles;
}

/** Folders that stand for the bundles of an environment the CLI did not ask for: never deployed. */
export async function placeholderBundles(environment: string): Promise<Bundles> {
  const folder = join(REPOSITORY, '.holdfast/bundles/not-bundled', environment);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'index.mjs'), 'throw new Error("This environment was not bundled by this run.");\n');
  return Object.fromEntries(FUNCTION_NAMES.map(name => [name, folder])) as Bundles;
}

/** What esbuild recorded about a bundle: which module brought how many bytes into which file. */
export function metafilePath(bundleFolder: string): string {
  return `${bundleFolder}.meta.json`;
}

function handlerFile(name: FunctionName): string {
  return join(REPOSITORY, 'lambdas', name, 'handler.ts');
}

async function bundleFunction(name: FunctionName, folder: string, config: ResolvedConfig): Promise<void> {
  const isolated = new Map<string, string>();
  const shared = {
    ...LEAN_OPTIONS,
    mainFields: [...LEAN_OPTIONS.mainFields],
    absWorkingDir: REPOSITORY,
    outdir: relative(REPOSITORY, folder),
    outExtension: { '.js': '.mjs' },
    define: { __HOLDFAST_CONFIG__: JSON.stringify(JSON.stringify(withoutProse(config))) },
  };
  const main = await build({
    ...shared,
    entryPoints: { index: relative(REPOSITORY, handlerFile(name)) },
    chunkNames: 'chunk-[hash]',
    // What is imported lazily becomes a file of its own, read on first use.
    splitting: true,
    plugins: [isolatedLazyImports(isolated), lazyBuiltins(), withoutUnusedParts({ hasS3: false })],
  });
  const lazy = await Promise.all(
    [...isolated].map(([file, path]) =>
      build({
        ...shared,
        entryPoints: { [file.replace(/\.mjs$/, '')]: relative(REPOSITORY, path) },
        plugins: [lazyBuiltins(), withoutUnusedParts({ hasS3: true })],
      }),
    ),
  );
  const metafile: Metafile = { inputs: {}, outputs: {} };
  const files = new Map<string, Uint8Array>();
  for (const result of [main, ...lazy]) {
    for (const file of result.outputFiles) files.set(file.path, file.contents);
    Object.assign(metafile.inputs, result.metafile.inputs);
    Object.assign(metafile.outputs, result.metafile.outputs);
  }
  await replaceFiles(folder, files);
  await writeFile(metafilePath(folder), JSON.stringify(metafile));
}

/** Makes these the only files of a folder, and leaves alone what is the same: another run may be reading it just now. */
async function replaceFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [path, contents] of files) {
    const present = await readFile(path).catch(() => undefined);
    if (present?.equals(contents)) continue;
    const unfinished = `${folder}.${process.pid}.part`;
    await writeFile(unfinished, contents);
    await rename(unfinished, path);
  }
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!files.has(path)) await rm(path, { force: true });
  }
}

/**
 * Without the text of the specs that only people read (a kilobyte per source that each cold start would parse), and
 * without the region, which Lambda tells: the same code goes to every region.
 */
function withoutProse(config: ResolvedConfig): ResolvedConfig {
  return {
    ...config,
    region: '',
    sources: config.sources.map(source => {
      const { unconfirmed: _unconfirmed, ips: _ips, ...spec } = source.spec;
      return { ...source, spec: { ...spec, docs: '', retries: '', setup: '' } };
    }),
  };
}
