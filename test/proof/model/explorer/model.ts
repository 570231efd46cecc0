/** What a model of a protocol is made of. */
import type { Key } from './state-table.ts';

/** Something that may happen next. `fair` is false for faults and for people: liveness may not count on those. */
export interface Step<State> {
  readonly actor: string;
  readonly action: string;
  readonly fair: boolean;
  readonly to: State;
}

/** One part of the modelled system: all it may do in a state. It throws `RuleBroken` when acting breaks a rule. */
export type Actor<State> = (state: State) => readonly Step<State>[];

/** Liveness: from every reachable state where `from` holds, fair steps alone must be able to lead to `goal`. */
interface MustReach<State> {
  readonly rule: string;
  from(state: State): boolean;
  goal(state: State): boolean;
}

/** What the explorer needs to know of a model. */
export interface Model<State> {
  readonly starts: readonly State[];
  readonly actors: readonly Actor<State>[];
  readonly mustReach: readonly MustReach<State>[];
  /** false: explore everything, whatever breaks; liveness is then checked as well. */
  readonly stopAtFirst: boolean;
  /** Writes what is equal exactly for equal states, but for their budgets. */
  key(state: State, key: Key): void;
  /**
   * The part of a state that says how often each fault may still happen in one run: at most three times. Actors ask only
   * whether it may happen, a step spends it once, and no rule asks for it. So the steps of states that differ in nothing
   * else are worked out once (`inFull`: in each state).
   */
  readonly budget?: keyof State;
  /** One representative for all states that no rule can tell apart. */
  canonical?(state: State): State;
  /** One representative for states that differ only in the names of interchangeable parts (`inFull`: none). */
  symmetric?(state: State): State;
  /** Told of the steps that are taken, of each kind at least once. */
  taken?(actor: string, action: string): void;
  /** The rule this state breaks, if any. */
  brokenIn?(state: State): string | undefined;
  /** The rule this step breaks, if any. */
  brokenBy?(from: State, to: State, action: string): string | undefined;
  describe(state: State): string;
}

/** Thrown by an actor whose next step would break a rule. */
export class RuleBroken extends Error {
  readonly rule: string;
  constructor(rule: string) {
    super(`A step breaks the rule: ${rule}`);
    this.rule = rule;
  }
}

/** A step that happens sooner or later if it stays possible. */
export function certain<State>(actor: string, action: string, to: State): Step<State> {
  return { actor, action, fair: true, to };
}

/** A step that may never happen: a fault, or what a person or a provider chooses to do. */
export function possible<State>(actor: string, action: string, to: State): Step<State> {
  return { actor, action, fair: false, to };
}

/** A copy of `list` with `value` at `index`. */
export function replaceAt<T>(list: readonly T[], index: number, value: T): readonly T[] {
  const copy = list.slice();
  copy[index] = value;
  return copy;
}
