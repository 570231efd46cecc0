/** A named variant of a protocol model: what it must find, and how to explore it. */
import type { Exploration } from './explore.ts';

export interface Variant {
  /**
   * GOOD: the protocol; must pass. BAD: one rule removed; must fail. TEXT: an earlier wording of the protocol read
   * literally; must fail. SPARE: one rule removed that another covers; must pass.
   */
  readonly kind: 'GOOD' | 'BAD' | 'TEXT' | 'SPARE';
  readonly name: string;
  /** How many states an exploration interns: a change means that the model changed. */
  readonly states: number;
  /** The rules it must break, in the order found; none for GOOD and SPARE. */
  readonly breaks: readonly string[];
  /** Too slow for every test run: explored with HOLDFAST_LONG=1. */
  readonly long?: boolean;
  explore(): Exploration;
}
