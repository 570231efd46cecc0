/** Runs inside a worker: loads the suites of a side, and the product with each bug of a list in it, and looks for them. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { breakFunctions } from './break-function.ts';
import { bugsOf, type Mutant } from './mutants.ts';

const { side, mutants } = workerData as { readonly side: string; readonly mutants: readonly Mutant[] };
const sources = new Map(
  [...Map.groupBy(mutants.flatMap(bugsOf), ({ file }) => file)].map(([file, bugs]) => {
    const path = join(import.meta.dirname, '../../..', file);
    return [pathToFileURL(path).href, breakFunctions(readFileSync(path, 'utf8'), bugs)];
  }),
);
registerHooks({
  load: (url, context, next) => {
    const source = sources.get(url);
    return source === undefined ? next(url, context) : { format: 'module-typescript', source, shortCircuit: true };
  },
});

const { firstCatch, firstComplaint } = await import('./probe.ts');
const { SIDE } = await import(side);
parentPort?.on('message', async (mutant: Mutant | undefined) => {
  parentPort?.postMessage(await (mutant ? firstCatch(SIDE, mutant) : firstComplaint(SIDE, mutants)));
});
