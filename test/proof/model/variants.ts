/** A named variant of a protocol model: what it must find, and how to explore it. */
import { type Exploration, explore, inFull } from './explorer/explore.ts';
import type { Model } from './explorer/model.ts';

/**
 * GOOD: the protocol; must pass. BAD: one rule removed; must fail. TEXT: a wording of the protocol read literally; must
 * fail. SPARE: one rule removed that another covers; must pass.
 */
type VariantKind = 'GOOD' | 'BAD' | 'TEXT' | 'SPARE';

export interface Variant {
  readonly kind: VariantKind;
  readonly name: string;
  /** How many states an exploration interns: a change means that the model changed. */
  readonly states: number;
  /** The rules it must break, in the order found; none for GOOD and SPARE. */
  readonly breaks: readonly string[];
  /** Too slow for every test run: explored with HOLDFAST_LONG=1. */
  readonly long: boolean;
  explore(): Exploration;
  /** The same without the reductions of the explorer. */
  exploreInFull(): Exploration;
}

/** A variant of `model` that must break `breaks` (nothing: it must pass) after interning `states` states. */
export function variant<State>(
  kind: VariantKind,
  name: string,
  states: number,
  breaks: readonly string[],
  model: () => Model<State>,
): Variant {
  return {
    kind,
    name,
    states,
    breaks,
    long: false,
    explore: () => explore(model()),
    exploreInFull: () => explore(inFull(model())),
  };
}

export function slow(fast: Variant): Variant {
  return { ...fast, long: true };
}
