/** Loads what reads stacks, and the map of the code, with the first error: a start without one reads neither. */
import type { StackReader } from '#core/ports.ts';

export const stackReader: StackReader = {
  async read(error) {
    try {
      return (await import('./map-stack.ts')).mapStack(error);
    } catch {
      // Whoever asks is handling an error already.
      return { frames: [] };
    }
  },
};
