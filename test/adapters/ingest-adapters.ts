import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { signedClients } from '#lib/bundling/lean-plugins.ts';
import * as sdkAdapters from './ingest-adapters-entry.ts';

export type IngestAdapters = typeof sdkAdapters;
export { sdkAdapters };

/** The same adapters as the deployed `ingest` has them: over the small signed client. */
export async function bundleSignedAdapters(): Promise<IngestAdapters> {
  const folder = join(import.meta.dirname, '../../.holdfast/test');
  const outfile = join(folder, 'signed-adapters.mjs');
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'ingest-adapters-entry.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['#core/*'],
    plugins: [signedClients()],
  });
  return (await import(pathToFileURL(outfile).href)) as IngestAdapters;
}
