/** The code of one function: its entry, what is read with it at a start, and what is read on first use. */
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { type BuildFailure, build, type Metafile, type Plugin } from 'esbuild';
import { BundleError } from './bundle-error.ts';
import { apartName, filesApart, LEAN_OPTIONS, lazyBuiltins } from './lean-plugins.ts';
import { shortMap } from './source-maps.ts';

/** Of this repository, or of the package. */
export const HOLDFAST = join(import.meta.dirname, '../..');

export interface CodeOptions {
  /** In messages, and of the folder that esbuild believes to write to. */
  readonly name: string;
  /** The file that becomes `index.mjs`. */
  readonly entry: string;
  /** The folder whose handlers are in it. */
  readonly project: string;
  /** Files of ours, without their ending, that are left out, though an import names them. */
  readonly unused: ReadonlySet<string>;
  readonly plugins: readonly Plugin[];
  readonly define?: Readonly<Record<string, string>>;
}

export interface BuiltCode {
  /** File name to text. */
  readonly files: ReadonlyMap<string, string>;
  readonly metafile: Metafile;
}

/**
 * Builds all of it at once, with what is imported lazily in files of their own; those of `BUILT_APART` are built by
 * themselves. Throws a BundleError when a part is missing: a bundle that is not whole is never deployed.
 */
export async function buildCode({ name, entry, project, unused, plugins, define }: CodeOptions): Promise<BuiltCode> {
  const apart = new Set<string>();
  const shared = {
    ...LEAN_OPTIONS,
    mainFields: [...LEAN_OPTIONS.mainFields],
    absWorkingDir: HOLDFAST,
    outdir: `.holdfast/bundles/${name}`,
    outExtension: { '.js': '.mjs' },
    ...(define === undefined ? {} : { define: { ...define } }),
    // Without a word of them in the code: what reads them knows where they are.
    sourcemap: 'external' as const,
    sourcesContent: false,
  };
  const whole = async () => {
    const main = await build({
      ...shared,
      entryPoints: { index: relative(HOLDFAST, entry) },
      chunkNames: '[name]-[hash]',
      splitting: true,
      plugins: [filesApart(HOLDFAST, unused, apart), ...plugins, lazyBuiltins()],
    });
    const others = [...apart].map(path => {
      const entryPoints = { [apartName(path).replace(/\.mjs$/, '')]: `${path}${extname(import.meta.filename)}` };
      return build({ ...shared, entryPoints, plugins: [lazyBuiltins()] });
    });
    return [main, ...(await Promise.all(others))];
  };
  const results = await whole().catch((error: BuildFailure) => {
    throw cannotBuild(name, project, error);
  });
  const metafile: Metafile = { inputs: {}, outputs: {} };
  const files = new Map<string, string>();
  for (const result of results) {
    for (const { path, text } of result.outputFiles) {
      const places = { holdfast: HOLDFAST, project, from: dirname(path) };
      files.set(basename(path), path.endsWith('.map') ? JSON.stringify(shortMap(text, places)) : text);
    }
    Object.assign(metafile.inputs, result.metafile.inputs);
    Object.assign(metafile.outputs, result.metafile.outputs);
  }
  refuseMissing(name, { files, metafile }, new Set([...unused].map(apartName)));
  return { files, metafile };
}

function cannotBuild(name: string, project: string, error: BuildFailure): Error {
  const [first] = error.errors ?? [];
  if (first === undefined) return error;
  const { location, text } = first;
  const at = location === null ? '' : `${pathIn(project, location.file)}:${location.line}: `;
  const help = existsSync(join(HOLDFAST, 'node_modules')) ? 'correct that file' : 'run npm ci';
  return new BundleError(
    `The bundle of ${name} cannot be built: ${at}${text}. Fix: ${help}, or run npm ci if a package is meant.`,
  );
}

/** As the project names a file of its own; others as Holdfast does. */
function pathIn(project: string, file: string): string {
  const inside = relative(project, join(HOLDFAST, file));
  return inside.startsWith('..') ? file : inside;
}

/** Every import of a file beside the code must lead to one, or to one that no event needs. */
export function refuseMissing(name: string, { files, metafile }: BuiltCode, unneeded: ReadonlySet<string>): void {
  for (const [output, { imports }] of Object.entries(metafile.outputs)) {
    for (const { path } of imports) {
      const file = basename(path);
      if (isBuiltIn(path) || files.has(file) || unneeded.has(file)) continue;
      throw new BundleError(
        `The bundle of ${name} lacks a part: ${basename(output)} imports ${file}, which was not built. Fix: name it in lib/bundling/lean-plugins.ts, or import it statically.`,
      );
    }
  }
}

const isBuiltIn = (path: string): boolean => !/\.m?js$/.test(path);
