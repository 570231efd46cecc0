/** The functions' bundles as they are deployed, and what a cold start reads of them. */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { resolveConfig } from '#core/config/resolve-config.ts';
import type { ResolvedConfig } from '#core/config/resolved-config.ts';
import { bundleFunctions, metafilePath } from '#lib/bundling/bundle-functions.ts';
import type { Bundles, FunctionName } from '#lib/bundling/function-names.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';

/** Builds functions of the shipped configuration, environment `prod` with these changes, below a folder. */
export async function buildBundles(
  outputFolder: string,
  functions: readonly FunctionName[],
  changes: Partial<ResolvedConfig> = {},
): Promise<Bundles> {
  const config = { ...resolveConfig(gateway, 'prod', PROVIDERS), ...changes };
  const byEnvironment = await bundleFunctions({ configs: [config], project: FIXTURE_PROJECT, outputFolder, functions });
  return byEnvironment.get('prod') as Bundles;
}

export interface EagerPart {
  readonly files: readonly string[];
  readonly raw: number;
  readonly gzip: number;
  /** Module to bytes, largest first. */
  readonly modules: readonly (readonly [module: string, bytes: number])[];
}

/** What a cold start reads of a bundle: the entry file and everything it imports statically. */
export async function eagerPartOf(bundleFolder: string): Promise<EagerPart> {
  const metafile: Metafile = JSON.parse(await readFile(metafilePath(bundleFolder), 'utf8'));
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const files = new Set<string>();
  const visit = (file: string): void => {
    const output = outputs.get(file);
    if (!output || files.has(file)) return;
    files.add(file);
    for (const imported of output.imports) if (imported.kind === 'import-statement') visit(basename(imported.path));
  };
  visit('index.mjs');
  const modules = new Map<string, number>();
  let [raw, gzip] = [0, 0];
  for (const file of files) {
    const bytes = await readFile(join(bundleFolder, file));
    raw += bytes.length;
    gzip += gzipSync(bytes, { level: 9 }).length;
    for (const [path, input] of Object.entries(outputs.get(file)?.inputs ?? {})) {
      const module = path.replace(/^.*node_modules\//, '');
      modules.set(module, (modules.get(module) ?? 0) + input.bytesInOutput);
    }
  }
  return { files: [...files], raw, gzip, modules: [...modules].sort((a, b) => b[1] - a[1]) };
}
