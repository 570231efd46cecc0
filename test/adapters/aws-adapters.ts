import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { SIGNED_CLIENTS } from '#lib/bundling/lean-plugins.ts';
import * as sdkAdapters from './aws-adapters-entry.ts';

export type AwsAdapters = typeof sdkAdapters;
export { sdkAdapters };

/** The same adapters as the deployed functions have them: over the small signed client. */
export async function bundleSignedAdapters(): Promise<AwsAdapters> {
  const folder = join(import.meta.dirname, '../../.holdfast/test');
  const outfile = join(folder, 'signed-adapters.mjs');
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'aws-adapters-entry.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['#core/*'],
    alias: { ...SIGNED_CLIENTS },
  });
  return (await import(pathToFileURL(outfile).href)) as AwsAdapters;
}
