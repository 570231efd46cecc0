import { endCallsOf, endOfCalls } from '#adapters/lifetime.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { type Dependency, DependencyError } from '#core/errors.ts';
import type { Timer } from '#core/ports.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { FaultPlan } from './faults.ts';

/** How a piece of work in a process ended, as seen from outside. `dead`: the process died before it could answer. */
export type ProcessOutcome<T> =
  | { readonly kind: 'returned'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'dead' };

export interface SimulatedProcessOptions {
  readonly clock: VirtualClock;
  /** Chooses the fault of each call. Default: none. */
  readonly plan?: FaultPlan;
  /** Virtual milliseconds on the way to the service, and back. Default 0 and 0. */
  readonly latencyMs?: () => { readonly there: number; readonly back: number };
  /** How long the client waits for an answer before it gives up: all its tries together. Default 1,700. */
  readonly clientTimeoutMs?: number;
  /** How long a `stall` lasts. Default 15 minutes: longer than every lease and function timeout. */
  readonly stallMs?: number;
}

const NO_LATENCY = { there: 0, back: 0 };

interface PortRules {
  /** Methods that swallow what goes wrong, as the real adapter does (`ReceiptBox.hide`). */
  readonly neverThrows?: readonly string[];
}

/**
 * One operating-system process: everything it asks of the outside passes here, so that it can die, freeze, lose
 * an answer or be refused at every single call. A dead process is really dead: the call it died in, and every call
 * after it, never settles, so no `catch` of the product can run on. Use `run` to see the death from outside.
 */
export class SimulatedProcess {
  readonly #options: SimulatedProcessOptions;
  #state: 'running' | 'frozen' | 'dead' = 'running';
  #calls = 0;
  #thawed: Promise<void> = Promise.resolve();
  #wake: () => void = () => {};
  readonly #died: Promise<void>;
  #announceDeath: () => void = () => {};

  constructor(options: SimulatedProcessOptions) {
    this.#options = options;
    this.#died = new Promise(resolve => {
      this.#announceDeath = resolve;
    });
  }

  get state(): 'running' | 'frozen' | 'dead' {
    return this.#state;
  }

  /** Calls made so far. */
  get calls(): number {
    return this.#calls;
  }

  /** The port as this process sees it: each call of a method passes the fault point `<name>.<method>`. */
  wrap<Port extends object>(name: string, dependency: Dependency, port: Port, rules: PortRules = {}): Port {
    return new Proxy(port, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property, target);
        if (typeof member !== 'function' || typeof property !== 'string') return member;
        return (...args: unknown[]) => {
          const answer = this.#inTime(`${name}.${property}`, dependency, () => member.apply(target, args));
          return rules.neverThrows?.includes(property) ? answer.catch(() => undefined) : answer;
        };
      },
    });
  }

  /** `Timer` on virtual time; in a frozen process it rings late, in a dead one never. */
  readonly timer: Timer = {
    sleep: async ms => {
      await this.#options.clock.sleep(ms);
      await this.#alive();
    },
    limit: async (ms, work) => {
      const abort = new AbortController();
      let cancel = (): void => {};
      const late = new Promise<{ kind: 'timed_out' }>(resolve => {
        cancel = this.#options.clock.after(ms, () => resolve({ kind: 'timed_out' }));
      });
      try {
        const { result, end } = endCallsOf(() => work(abort.signal));
        const finished = result.then(value => ({ kind: 'finished' as const, value }));
        const ended = await Promise.race([finished, late]);
        await this.#alive();
        if (ended.kind === 'timed_out') {
          abort.abort();
          end.abort(abort.signal.reason);
        }
        return ended;
      } finally {
        cancel();
      }
    },
  };

  /** Runs work in this process and tells how it ended. Resolves at the death of the process at the latest. */
  run<T>(work: () => Promise<T>): Promise<ProcessOutcome<T>> {
    const ended = (async (): Promise<ProcessOutcome<T>> => {
      try {
        const value = await work();
        await this.#alive();
        return { kind: 'returned', value };
      } catch (error) {
        return { kind: 'threw', error };
      }
    })();
    return Promise.race([ended, this.#died.then((): ProcessOutcome<T> => ({ kind: 'dead' }))]);
  }

  /** `kill -9`. */
  kill(): void {
    this.#state = 'dead';
    this.#announceDeath();
  }

  /** Freezes: calls under way go on at the service, but nothing more happens in here until `thaw`. */
  freeze(): void {
    if (this.#state !== 'running') return;
    this.#state = 'frozen';
    this.#thawed = new Promise(resolve => {
      this.#wake = resolve;
    });
  }

  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'running';
    this.#wake();
  }

  /** A call that ends with the work that made it. What is on its way to the service then may be applied all the same. */
  #inTime(name: string, dependency: Dependency, call: () => unknown): Promise<unknown> {
    const end = endOfCalls();
    if (end === undefined) return this.#call(name, dependency, call);
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(new DependencyError(dependency, `${name}: aborted`, { outcome: 'unknown' }));
      // Of a call that would begin after the end nothing is ever sent.
      if (end.aborted) return abort();
      const stop = (): void => end.removeEventListener('abort', abort);
      end.addEventListener('abort', abort);
      void this.#call(name, dependency, call).then(resolve, reject).then(stop);
    });
  }

  async #call(name: string, dependency: Dependency, call: () => unknown): Promise<unknown> {
    if (this.#state !== 'running') await this.#alive();
    const { clock, plan, latencyMs, clientTimeoutMs = 1_700 } = this.#options;
    const n = ++this.#calls;
    const fault = plan?.({ n, name, dependency, at: clock.now() });
    const latency = latencyMs?.() ?? NO_LATENCY;
    if (fault === 'stall') await this.#stall();
    if (fault === 'crash_before') return this.#die();
    if (fault === 'applied_late') clock.after(clientTimeoutMs + latency.there, () => void answerOf(call));
    if (fault === 'hang' || fault === 'applied_late') return this.#unanswered(name, dependency);
    if (latency.there > 0) await clock.sleep(latency.there);
    if (fault === 'error' || fault === 'throttled') {
      if (latency.back > 0) await clock.sleep(latency.back);
      await this.#alive();
      const outcome = fault === 'throttled' ? 'not_applied' : 'unknown';
      throw new DependencyError(dependency, `${name}: ${fault === 'error' ? 'internal error' : fault}`, { outcome });
    }
    // It reaches the service, once or (the client's own retry) twice.
    const first = await answerOf(call);
    if (fault === 'crash_after') return this.#die();
    if (fault === 'unanswered') return this.#unanswered(name, dependency);
    const answer = fault === 'lost_reply_retried' ? await answerOf(call) : first;
    if (latency.back > 0) await clock.sleep(latency.back);
    if (this.#state !== 'running') await this.#alive();
    if (fault === 'lost_reply_error') {
      throw new DependencyError(dependency, `${name}: the connection was reset`, { outcome: 'unknown' });
    }
    if ('error' in answer) throw answer.error;
    return answer.value;
  }

  async #stall(): Promise<void> {
    this.freeze();
    this.#options.clock.after(this.#options.stallMs ?? 15 * MINUTE_MS, () => this.thaw());
    await this.#alive();
  }

  async #unanswered(name: string, dependency: Dependency): Promise<never> {
    const { clock, clientTimeoutMs = 1_700 } = this.#options;
    await clock.sleep(clientTimeoutMs);
    await this.#alive();
    throw new DependencyError(dependency, `${name}: no answer within ${clientTimeoutMs} ms`, { outcome: 'unknown' });
  }

  /** Goes on only in a running process. */
  async #alive(): Promise<void> {
    while (this.#state === 'frozen') await this.#thawed;
    if (this.#state === 'dead') await never();
  }

  #die(): Promise<never> {
    this.kill();
    return never();
  }
}

async function answerOf(call: () => unknown): Promise<{ value: unknown } | { error: unknown }> {
  try {
    return { value: await call() };
  } catch (error) {
    return { error };
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
