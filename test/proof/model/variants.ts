/** A named variant of a protocol model: what it must find, and how to explore it. */
import { type Exploration, explore, inFull } from './explorer/explore.ts';
import type { Model } from './explorer/model.ts';
import { Key, StateTable } from './explorer/state-table.ts';

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
  /** The same without the reductions of the explorer. `classes`: its states, but for those that nobody tells apart, of a whole exploration. */
  exploreInFull(): Exploration & { readonly classes: number | undefined };
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
    exploreInFull: () => exploreInFull(model()),
  };
}

export function slow(fast: Variant): Variant {
  return { ...fast, long: true };
}

function exploreInFull<State>(model: Model<State>): Exploration & { readonly classes: number | undefined } {
  const full = inFull(model);
  const table = new StateTable();
  const count = (state: State): void => {
    const key = new Key();
    full.key(model.symmetric?.(state) ?? state, key);
    table.intern(key);
  };
  const brokenIn = (state: State): string | undefined => {
    count(state);
    return model.brokenIn?.(state);
  };
  const found = explore({ ...full, brokenIn });
  const isWhole = found.violations.length === 0 || !model.stopAtFirst;
  return { ...found, classes: isWhole ? table.size : undefined };
}
