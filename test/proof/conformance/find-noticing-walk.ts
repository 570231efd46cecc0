import { Divergence } from './expect-call.ts';

const MOST_WALKS = 1_000;

/**
 * The seed of a walk that parts from its model. `known` noticed the bug when this was written and is tried first; a
 * change of the product or of the model makes other walks of the seeds, and then the search begins at 1. Throws what a
 * walk threw that is no divergence, and when none of 1,000 notices.
 */
export async function findNoticingWalk(
  walk: (seed: number) => Promise<unknown>,
  known: number | undefined,
): Promise<number> {
  const seeds = Array.from({ length: MOST_WALKS }, (_, n) => n + 1);
  for (const seed of known === undefined ? seeds : [known, ...seeds]) {
    try {
      await walk(seed);
    } catch (error) {
      if (error instanceof Divergence) return seed;
      throw error;
    }
  }
  throw new Error(`no walk of ${MOST_WALKS} noticed`);
}
