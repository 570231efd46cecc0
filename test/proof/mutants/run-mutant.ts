/** Builds the product with one deliberate bug and lets the probe look for it. */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { breakFunction } from './break-function.ts';
import type { Mutant } from './mutants.ts';
import type { Catch } from './probe.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, '.holdfast/mutants');

/** The changed sources by path. Throws when a function is not there exactly once. */
function mutate({ also, ...first }: Mutant): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const bug of also ? [first, also] : [first]) {
    const path = join(ROOT, bug.file);
    sources.set(path, breakFunction(sources.get(path) ?? readFileSync(path, 'utf8'), bug));
  }
  return sources;
}

/** The suite that caught the mutant, or undefined when it survived. `undefined` mutant: the product as it is. */
export async function runMutant(
  mutant: Mutant | undefined,
  number: number,
  limitMs: number,
  probe = 'probe.ts',
  /** Of the built file. Code that builds code looks for files of its own ending. */
  ending = '.mjs',
): Promise<Catch | undefined> {
  mkdirSync(FOLDER, { recursive: true });
  const outfile = join(FOLDER, `mutant-${number}${ending}`);
  const sources = mutant ? mutate(mutant) : new Map<string, string>();
  await build({
    absWorkingDir: ROOT,
    entryPoints: [join(import.meta.dirname, probe)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    packages: 'external',
    alias: { '#test': join(ROOT, 'test') },
    logLevel: 'error',
    plugins: [
      {
        name: 'mutant',
        setup: builder => {
          for (const [file, contents] of sources) {
            // Each file that the filter lets through is asked for across two processes.
            const name = basename(file).replace('.', '\\.');
            builder.onLoad({ filter: new RegExp(`/${name}$`) }, ({ path }) =>
              path === file ? { contents, loader: 'ts' } : undefined,
            );
          }
        },
      },
    ],
  });
  return new Promise((resolve, reject) => {
    const worker = new Worker(outfile, { workerData: mutant });
    const timeout = setTimeout(() => {
      void worker.terminate();
      // A busy machine would hide a survivor: nothing noticed the bug so far.
      reject(new Error(`The probe did not end within ${limitMs} ms: it is not known whether a suite notices this bug`));
    }, limitMs);
    worker.once('message', (caught: Catch | null) => {
      clearTimeout(timeout);
      void worker.terminate();
      resolve(caught ?? undefined);
    });
    worker.once('error', error => {
      clearTimeout(timeout);
      reject(error);
    });
  });
}
