import { settle } from '#adapters/memory/virtual-clock.ts';
import { DependencyError } from '#core/errors.ts';

/**
 * How a call goes. `twice`: its reply is lost and the client's own retry runs it again; the code sees the second answer.
 * `reply lost`: it is applied, and the code gets an error. `fails`: it is not, and the code gets one.
 */
export type Way = 'once' | 'twice' | 'reply lost' | 'fails';

interface HeldCall {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  readonly answer: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * One process of the product that stands still before each call which is a step of the model, until the walk lets that
 * call go. A process that nobody lets go on has died there.
 */
export class SteppedProcess {
  #held: HeldCall | undefined;
  #ended: { readonly value: unknown } | { readonly error: unknown } | undefined;

  /** `<port>.<method>` of the call it stands before. */
  get before(): string | undefined {
    return this.#held?.name;
  }

  /** What it ended with, once it has. */
  get ended(): { readonly value: unknown } | { readonly error: unknown } | undefined {
    return this.#ended;
  }

  /** The port as this process sees it: it stands still before each of these methods; the others run at once. */
  wrap<Port extends object>(name: string, port: Port, methods: readonly (keyof Port & string)[]): Port {
    return new Proxy(port, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property, target);
        if (typeof member !== 'function') return member;
        const call = async (args: readonly unknown[]): Promise<unknown> => member.apply(target, args);
        if (!(methods as readonly (string | symbol)[]).includes(property)) return (...args: unknown[]) => call(args);
        return (...args: unknown[]) => this.hold(`${name}.${String(property)}`, () => call(args));
      },
    });
  }

  hold<T>(name: string, run: () => Promise<T>): Promise<T> {
    if (this.#held)
      throw new Error(`${name} was called while ${this.#held.name} is under way: the model has no such step`);
    return new Promise<T>((resolve, reject) => {
      this.#held = { name, run, answer: value => resolve(value as T), fail: reject };
    });
  }

  /** Runs the work up to its first held call. */
  async start(work: () => Promise<unknown>): Promise<void> {
    work().then(
      value => {
        this.#ended = { value };
      },
      (error: unknown) => {
        this.#ended = { error };
      },
    );
    await settle();
  }

  /** Lets the held call go, and the code on to its next one or its end. */
  async release(way: Way = 'once'): Promise<void> {
    const call = this.#held;
    if (!call) throw new Error('the code has ended, or waits for something that is no step of the model');
    this.#held = undefined;
    if (way === 'fails') {
      call.fail(new DependencyError('dynamodb', 'no answer', { outcome: 'not_applied' }));
      await settle();
      return;
    }
    try {
      const first = await call.run();
      if (way === 'reply lost')
        call.fail(new DependencyError('dynamodb', 'the reply was lost', { outcome: 'unknown' }));
      else call.answer(way === 'twice' ? await call.run() : first);
    } catch (error) {
      call.fail(error);
    }
    await settle();
  }
}
