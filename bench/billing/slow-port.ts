import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';

/** Milliseconds of one call to AWS: assumed, as in (f). */
export const CALL_MS = 5;

/** A port whose every call takes as long. `onCall` is told of each. */
export const slowPort = <Port extends object>(clock: VirtualClock, port: Port, onCall = (): void => {}): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return async (...args: readonly unknown[]) => {
        onCall();
        await clock.sleep(CALL_MS);
        return member.apply(target, args);
      };
    },
  });
