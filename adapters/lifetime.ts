/**
 * How long a call may live: until the limit of its work is over, and never longer than its invocation. A function is frozen
 * when it has answered; a call that was left behind would be made, or made again, when it thaws: minutes or hours later.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The end of a piece of work, and of what that is a part of. It is what a call asks of an `AbortSignal`, without the rest:
 * `AbortSignal.any` takes several times the CPU.
 */
export class End {
  readonly #outer: End | undefined;
  readonly #listeners = new Set<() => void>();
  #isOver = false;
  #reason: unknown;

  constructor(outer?: End) {
    this.#outer = outer;
  }

  get aborted(): boolean {
    return this.#isOver || this.#outer?.aborted === true;
  }

  /** Why it is over; undefined while it is not. */
  get reason(): unknown {
    return this.#isOver ? this.#reason : this.#outer?.reason;
  }

  /** `listener` is called once, at whichever end comes first. */
  addEventListener(type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
    this.#outer?.addEventListener(type, listener);
  }

  removeEventListener(type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
    this.#outer?.removeEventListener(type, listener);
  }

  /** Ends the calls of this work, and of every part of it. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.#isOver = true;
    this.#reason = reason;
    for (const listener of [...this.#listeners]) {
      this.removeEventListener('abort', listener);
      listener();
    }
  }
}

const ANSWERED = new Error('the invocation has answered');

/** Follows the work through every `await`, so that no port has to pass it on, and none can forget to (docs/decisions/the-aws-sdk-is-the-one-client.md). */
const lifetime = new AsyncLocalStorage<End>();

/** Ends the calls that the present work makes. Undefined: nothing bounds them (init, a program on a laptop). */
export function endOfCalls(): End | undefined {
  return lifetime.getStore();
}

/** Runs `work`; its calls end when it is told to, and with what bounds them already. */
export function endCallsOf<T>(work: () => T): { readonly result: T; readonly end: End } {
  const end = new End(lifetime.getStore());
  return { result: lifetime.run(end, work), end };
}

/** The handler of a function: a call that it left behind ends with its answer, and none begins after it. */
export function oneInvocation<Args extends readonly unknown[], Answer>(
  handler: (...args: Args) => Promise<Answer>,
): (...args: Args) => Promise<Answer> {
  return async (...args) => {
    const invocation = new End();
    try {
      return await lifetime.run(invocation, () => handler(...args));
    } finally {
      invocation.abort(ANSWERED);
    }
  };
}
