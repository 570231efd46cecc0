/** What may not be so in the files of a bundle, read from esbuild's record of it. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { HOLDFAST } from '#lib/bundling/build-code.ts';

export const isOurs = (path: string): boolean => /^(?:core|adapters|lambdas|sdk|providers|lib)\//.test(path);
export const declaresClass = (path: string): boolean =>
  /^(?:export )?(?:default )?(?:abstract )?class |= class\b/m.test(readFileSync(join(HOLDFAST, path), 'utf8'));

type Outputs = Metafile['outputs'];
/** Modules of which something is in the file. */
const partsOf = (output: Outputs[string]): readonly string[] =>
  Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));

/** Files of ours with a class in them, and the files of the bundle that hold a part of each. */
export function classesInSeveral({ outputs }: Pick<Metafile, 'outputs'>): readonly string[] {
  const places = new Map<string, string[]>();
  for (const [file, output] of Object.entries(outputs))
    for (const path of partsOf(output))
      if (isOurs(path) && declaresClass(path)) places.set(path, [...(places.get(path) ?? []), basename(file)]);
  return [...places].filter(([, files]) => files.length > 1).map(([path, files]) => `${path}: ${files.join(', ')}`);
}

/** What each client of the product is made with. What ends its calls is the caller's: a copy of it would never know when. */
const CLIENT_PARTS = ['adapters/aws/client-settings.ts'];
const OF_THE_CALLER = 'adapters/lifetime.ts';

/**
 * Files that were built by themselves and call a service without a client that is made there as all others are: with its
 * settings, with calls that end when its caller's do, without the SDK's chain of credentials.
 */
export function withoutTheirClient({ outputs }: Pick<Metafile, 'outputs'>): readonly string[] {
  return Object.entries(outputs).flatMap(([path, output]) => {
    const file = basename(path);
    const parts = partsOf(output);
    const chain = parts.some(it => it.includes('/credential-provider-node/'));
    const calls = [...new Set(parts.flatMap(it => /@aws-sdk\/(client-[\w-]+)\/.*\/commands\//.exec(it)?.[1] ?? []))];
    const lacking = !file.startsWith('lazy-')
      ? []
      : calls.flatMap(client => [
          ...(parts.some(it => new RegExp(`@aws-sdk/${client}/.*Client\\.js$`).test(it)) ? [] : [`the ${client}`]),
          ...CLIENT_PARTS.filter(it => !parts.includes(it)),
          ...(parts.includes(OF_THE_CALLER) ? [`the caller's ${OF_THE_CALLER}: it has a copy`] : []),
        ]);
    return [
      ...(chain ? [`${file} has the SDK's chain of credentials`] : []),
      ...lacking.map(it => `${file} calls a service and lacks ${it}`),
    ];
  });
}
