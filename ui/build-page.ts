/** The script and the style of a page, out of the folder with its `main.tsx` and `style.css`. Not part of any page. */
import { join } from 'node:path';
import { build } from 'esbuild';

export interface PageFiles {
  readonly script: Uint8Array;
  readonly style: Uint8Array;
}

/** Throws where it does not compile. */
export async function buildPage(folder: string): Promise<PageFiles> {
  const { outputFiles } = await build({
    // Without an ending: it is main.tsx here and main.js in the package.
    entryPoints: { app: join(folder, 'main'), style: join(folder, 'style.css') },
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
  });
  const bytesOf = (ending: string): Uint8Array => {
    const found = outputFiles.find(({ path }) => path.endsWith(ending));
    if (found === undefined) throw new Error(`${folder} has no ${ending} in its page`);
    return found.contents;
  };
  return { script: bytesOf('.js'), style: bytesOf('.css') };
}
