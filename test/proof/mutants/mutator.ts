/** Looks for the mutants of one side, one after another, in one warm worker as long as none hangs it or throws there. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Mutant } from './mutants.ts';
import type { Catch } from './probe.ts';

export class Mutator {
  readonly #given: { readonly side: string; readonly mutants: readonly Mutant[] };
  readonly #limitMs: number;
  #worker: Worker | undefined;

  constructor(side: string, mutants: readonly Mutant[], limitMs: number) {
    this.#given = { side, mutants };
    this.#limitMs = limitMs;
  }

  /** The suite that catches a mutant, or undefined when it survives. `undefined` mutant: the product as it is. */
  async run(mutant: Mutant | undefined): Promise<Catch | undefined> {
    this.#worker ??= new Worker(join(import.meta.dirname, 'mutant-worker.ts'), { workerData: this.#given });
    this.#worker.postMessage(mutant);
    try {
      const [caught] = await once(this.#worker, 'message', { signal: AbortSignal.timeout(this.#limitMs) });
      return caught;
    } catch (error) {
      await this.stop();
      throw new Error(`Nothing noticed "${mutant?.name}" within ${this.#limitMs} ms, or asking failed`, {
        cause: error,
      });
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }
}
