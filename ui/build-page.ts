/** The scripts and the style of a page, out of the folder with its `main.tsx` and `style.css`. Not part of any page. */
import { basename, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

export interface PageFiles {
  readonly script: Uint8Array;
  readonly style: Uint8Array;
}

/** A page whose `first.ts` runs while the rest is on its way: `main.tsx` imports it. */
export interface StagedFiles extends PageFiles {
  /** By its name, which `script` imports. */
  readonly first: { readonly name: string; readonly bytes: Uint8Array };
}

/** Throws where it does not compile. */
export async function buildPage(folder: string): Promise<PageFiles> {
  const files = await filesOf(folder, {});
  return { script: bytesOf(files, 'main.js'), style: bytesOf(files, 'style.css') };
}

/** The first stage is a file of its own that both entries share. Throws where it does not compile. */
export async function buildStagedPage(folder: string): Promise<StagedFiles> {
  const first = { splitting: true, chunkNames: 'first-[hash]' };
  const files = await filesOf(folder, first, { first: join(folder, 'first') });
  const [name = '', ...others] = [...files.keys()].filter(it => it.startsWith('first-'));
  if (others.length > 0) throw new Error(`${folder} has more than one first stage: ${others.join(', ')}`);
  const bytes = bytesOf(files, name);
  return { script: bytesOf(files, 'main.js'), style: bytesOf(files, 'style.css'), first: { name, bytes } };
}

async function filesOf(
  folder: string,
  options: BuildOptions,
  more: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles = [] } = await build({
    // Without an ending: it is main.tsx here and main.js in the package.
    entryPoints: { main: join(folder, 'main'), style: join(folder, 'style.css'), ...more },
    outdir: '/',
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
    ...options,
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

function bytesOf(files: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const found = files.get(name);
  if (found === undefined) throw new Error(`The page has no ${name}`);
  return found;
}
