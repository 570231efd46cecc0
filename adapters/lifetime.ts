/**
 * How long a call may live: until the limit of its work is over, and never longer than its invocation. A function is frozen
 * when it has answered; a call that was left behind would be made, or made again, when it thaws: minutes or hours later.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Follows the work through every `await`, so that no port has to pass it on, and none can forget to (decision 0042). */
const lifetime = new AsyncLocalStorage<AbortSignal>();

/** Ends the calls that the present work makes. Undefined: nothing bounds them (init, a program on a laptop). */
export function endOfCalls(): AbortSignal | undefined {
  return lifetime.getStore();
}

/** Runs `work`; its calls end with `signal`, and with what bounds them already. */
export function endCallsWith<T>(signal: AbortSignal, work: () => T): T {
  const outer = lifetime.getStore();
  return lifetime.run(outer === undefined ? signal : AbortSignal.any([outer, signal]), work);
}

/** The handler of a function: a call that it left behind ends with its answer, and none begins after it. */
export function oneInvocation<Args extends readonly unknown[], Answer>(
  handler: (...args: Args) => Promise<Answer>,
): (...args: Args) => Promise<Answer> {
  return async (...args) => {
    const invocation = new AbortController();
    try {
      return await lifetime.run(invocation.signal, () => handler(...args));
    } finally {
      invocation.abort(new Error('the invocation has answered'));
    }
  };
}
