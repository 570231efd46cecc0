/** What the explorer knows of states that differ only in what is left of their budgets: their marks and their steps. */

import { GrowingInts } from './growing-ints.ts';
import { type Actor, type Model, RuleBroken, type Step } from './model.ts';
import { Key, StateTable } from './state-table.ts';

export const NOWHERE = -1;
export const FAIR = 1;
export const GOAL = 1;
export const FROM = 2;
/** The lower bit of each count of a budget, which has two. */
const ONES = 0x55555555;

type Budget = Readonly<Record<string, number>>;

export class Shapes<State> {
  /** Of each two bits for each liveness rule: GOAL, FROM. */
  readonly marks = new GrowingInts();
  readonly brokenIn = new Map<number, string>();
  /** Of each step twice the shape that it leads to, and FAIR; NOWHERE: who acts breaks a rule. */
  readonly to = new GrowingInts();
  readonly spends = new GrowingInts();
  readonly broken = new Map<number, { readonly rule: string; readonly last: string }>();
  /** The first of the steps that were asked for last. */
  begin = 0;
  readonly #model: Model<State>;
  readonly #names: readonly string[];
  readonly #table = new StateTable();
  readonly #key = new Key();
  readonly #states: State[] = [];
  readonly #budgets = new Map<number, Budget>();
  /** Of each the budget for which its steps were found. */
  readonly #known = new GrowingInts();
  readonly #begins = new GrowingInts();
  readonly #ends = new GrowingInts();

  constructor(model: Model<State>) {
    this.#model = model;
    const budget = this.#budgetOf(model.starts[0] as State);
    this.#names = Object.keys(budget).filter(name => budget[name]! > 0);
    const most = Math.max(0, ...model.starts.flatMap(start => Object.values(this.#budgetOf(start))));
    if (most > 3 || this.#names.length > 16)
      throw new Error(`Up to 16 faults of up to three each have room, not ${this.#names.length} of up to ${most}`);
  }

  find(state: State): number | undefined {
    this.#write(state);
    return this.#table.find(this.#key);
  }

  enter(state: State): number {
    this.#write(state);
    const shape = this.#table.intern(this.#key);
    if (shape < this.#states.length) return shape;
    this.#states.push(state);
    this.#begins.push(NOWHERE);
    this.#ends.push(NOWHERE);
    this.#known.push(0);
    const { mustReach } = this.#model;
    let bits = 0;
    for (let n = 0; n < mustReach.length; n++) {
      const rule = mustReach[n]!;
      if (rule.goal(state)) bits |= GOAL << (2 * n);
      if (rule.from(state)) bits |= FROM << (2 * n);
    }
    this.marks.push(bits);
    const broken = this.#model.brokenIn?.(state);
    if (broken) this.brokenIn.set(shape, broken);
    return shape;
  }

  /** What is left of its budget: two bits for each count. */
  leftIn(state: State): number {
    const budget = this.#budgetOf(state);
    let left = 0;
    for (let n = 0; n < this.#names.length; n++) left |= budget[this.#names[n]!]! << (2 * n);
    return left;
  }

  /** They are those from `begin` to the end that is returned, for whoever has what they spend. */
  findSteps(shape: number, left: number): number {
    this.begin = this.#begins.at(shape);
    if (this.begin !== NOWHERE && canSpend(this.#known.at(shape), atLeastOne(left))) return this.#ends.at(shape);
    this.begin = this.to.length;
    // Who acts and breaks a rule may do so by a fault that is not left elsewhere.
    if (this.#workOut(this.#withLeft(this.#states[shape] as State, left), left)) {
      this.#begins.set(shape, this.begin);
      this.#ends.set(shape, this.to.length);
      this.#known.set(shape, left);
    }
    return this.to.length;
  }

  /** Whether all actors can act. */
  #workOut(state: State, left: number): boolean {
    const { actors, taken, brokenBy } = this.#model;
    let isComplete = true;
    for (const actor of actors) {
      const steps = stepsOf(actor, state, rule => {
        this.broken.set(this.to.length, { rule, last: '(then)' });
        this.to.push(NOWHERE);
        this.spends.push(0);
        isComplete = false;
      });
      for (let n = 0; n < steps.length; n++) {
        const step = steps[n]!;
        taken?.(step.actor, step.action);
        const to = canonicalOf(this.#model, step.to);
        const spends = left - this.leftIn(to);
        if ((spends & ~ONES) !== 0) throw new Error(`${step.actor}: ${step.action} spends more than one of a fault`);
        const rule = brokenBy?.(state, to, step.action);
        if (rule) this.broken.set(this.to.length, { rule, last: `${step.actor}: ${step.action}` });
        this.to.push(2 * this.enter(to) + (step.fair ? FAIR : 0));
        this.spends.push(spends);
      }
    }
    return isComplete;
  }

  #write(state: State): void {
    this.#key.length = 0;
    this.#model.key(state, this.#key);
  }

  #budgetOf(state: State): Budget {
    const { budget } = this.#model;
    return budget === undefined ? NO_BUDGET : (state[budget] as Budget);
  }

  #withLeft(state: State, left: number): State {
    const name = this.#model.budget;
    if (name === undefined || this.leftIn(state) === left) return state;
    let budget = this.#budgets.get(left);
    if (!budget) {
      budget = {
        ...(state[name] as Budget),
        ...Object.fromEntries(this.#names.map((it, n) => [it, (left >> (2 * n)) & 3])),
      };
      this.#budgets.set(left, budget);
    }
    return { ...state, [name]: budget };
  }
}

const NO_BUDGET: Budget = {};

/** Whether there is all that is spent: at most one of each. */
export function canSpend(left: number, spends: number): boolean {
  return (spends & ~(left | (left >>> 1))) === 0;
}

function atLeastOne(left: number): number {
  return (left | (left >>> 1)) & ONES;
}

export function canonicalOf<State>(model: Model<State>, state: State): State {
  const canonical = model.canonical ? model.canonical(state) : state;
  return model.symmetric ? model.symmetric(canonical) : canonical;
}

/** All that it may do, or the rule that it breaks by acting. */
export function stepsOf<State>(
  actor: Actor<State>,
  state: State,
  breaks: (rule: string) => void = () => undefined,
): readonly Step<State>[] {
  try {
    return actor(state);
  } catch (error) {
    if (!(error instanceof RuleBroken)) throw error;
    breaks(error.rule);
    return [];
  }
}
