import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { FaultPlan } from './faults.ts';
import { SimulatedProcess, type SimulatedProcessOptions } from './simulated-process.ts';

/** How an invocation ended, as its caller sees it. `payload`: JSON text; undefined when the handler returned nothing. */
export type FunctionOutcome =
  | { readonly kind: 'returned'; readonly payload: string | undefined }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'crashed' }
  | { readonly kind: 'throttled' };

interface InvocationContext {
  /** As in Lambda's context. */
  getRemainingTimeInMillis(): number;
}
export type FunctionHandler = (payload: never, context: InvocationContext) => Promise<unknown>;

export interface MemoryFunctionOptions {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly timeoutMs: number;
  /** The module's top level: builds the handler once per environment. What it throws is a failed init. */
  readonly initialise: (process: SimulatedProcess) => FunctionHandler;
  /** Default: none. */
  readonly plan?: FaultPlan;
  readonly process?: Omit<SimulatedProcessOptions, 'clock' | 'plan'>;
  /** Default 1,000. 0 is the kill switch. */
  readonly reservedConcurrency?: number;
  /** Share of idle environments reclaimed before they are used again; unfinished work in them is lost. Default 0.02. */
  readonly reclaimRate?: number;
}

interface Environment {
  readonly process: SimulatedProcess;
  readonly handler: FunctionHandler;
}

/**
 * A Lambda function in memory: environments that serve one invocation at a time, are frozen between them (work the
 * handler left behind freezes, and goes on in a later invocation or never), and are killed at a timeout.
 */
export class MemoryFunction {
  readonly #options: MemoryFunctionOptions;
  readonly #idle: Environment[] = [];
  readonly #busy = new Set<SimulatedProcess>();
  /** While true, new environments fail at init (a bad deploy). Environments that run already go on. */
  brokenDeploy = false;
  /** Default: the option's value. */
  reservedConcurrency: number;

  constructor(options: MemoryFunctionOptions) {
    this.#options = options;
    this.reservedConcurrency = options.reservedConcurrency ?? 1_000;
  }

  get running(): number {
    return this.#busy.size;
  }

  /** Invokes with a payload that travels as JSON, as Lambda's does. */
  async invoke(payload: unknown): Promise<FunctionOutcome> {
    if (this.#busy.size >= this.reservedConcurrency) return { kind: 'throttled' };
    let environment: Environment;
    try {
      environment = this.#takeEnvironment();
    } catch (error) {
      return { kind: 'failed', error };
    }
    const { process, handler } = environment;
    this.#busy.add(process);
    process.thaw();
    const outcome = await this.#race(process, handler, JSON.parse(JSON.stringify(payload)));
    this.#busy.delete(process);
    if (outcome.kind === 'returned' || outcome.kind === 'failed') {
      process.freeze();
      this.#idle.push(environment);
    }
    return outcome;
  }

  /** `kill -9` of every environment that is running an invocation now. */
  killBusy(): number {
    const killed = this.#busy.size;
    for (const process of this.#busy) process.kill();
    return killed;
  }

  /** A deploy: idle environments are gone, the next invocations start new ones. */
  replaceEnvironments(): void {
    for (const { process } of this.#idle.splice(0)) process.kill();
  }

  #takeEnvironment(): Environment {
    const { random, reclaimRate = 0.02, clock, plan, initialise } = this.#options;
    while (this.#idle.length > 0) {
      const environment = this.#idle.pop() as Environment;
      if (!random.chance(reclaimRate)) return environment;
      environment.process.kill();
    }
    if (this.brokenDeploy) throw new Error('Runtime.ImportModuleError');
    const process = new SimulatedProcess({ clock, ...given({ plan }), ...this.#options.process });
    return { process, handler: initialise(process) };
  }

  #race(process: SimulatedProcess, handler: FunctionHandler, payload: unknown): Promise<FunctionOutcome> {
    const { clock, timeoutMs } = this.#options;
    const deadline: EpochMs = clock.now() + timeoutMs;
    const context = { getRemainingTimeInMillis: () => Math.max(0, deadline - clock.now()) };
    return new Promise(resolve => {
      const cancel = clock.at(deadline, () => {
        // A frozen process is not killed with its invocation: it may go on later, as a zombie.
        if (process.state !== 'frozen') process.kill();
        resolve({ kind: 'timed_out' });
      });
      void process
        .run(() => handler(payload as never, context))
        .then(ended => {
          cancel();
          if (ended.kind === 'dead') resolve({ kind: 'crashed' });
          else if (ended.kind === 'threw') resolve({ kind: 'failed', error: ended.error });
          else resolve(toReturned(ended.value));
        });
    });
  }
}

function toReturned(value: unknown): FunctionOutcome {
  try {
    return { kind: 'returned', payload: JSON.stringify(value) };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
