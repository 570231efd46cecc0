/**
 * Breadth-first explorer of explicit-state models: it visits every state that a model can reach, checks rules on each
 * state and each step, and then checks liveness backward from the goals. Breadth first, so every bad run it prints is
 * a shortest one. States are known by their keys; a state object lives only until its steps are known.
 */
import { Key, StateTable } from './state-table.ts';

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
  /** Writes what is equal exactly for equal states. */
  key(state: State, key: Key): void;
  /** One representative for all states that no rule can tell apart. */
  canonical?(state: State): State;
  /** The rule this state breaks, if any. */
  brokenIn?(state: State): string | undefined;
  /** The rule this step breaks, if any. */
  brokenBy?(from: State, to: State, action: string): string | undefined;
  describe(state: State): string;
}

/** One broken rule with the shortest run that breaks it and the state it ends in. */
interface Violation {
  readonly rule: string;
  readonly run: readonly string[];
  readonly endsIn: string;
}

/** What an exploration found. `states` counts interned states: equal numbers for equal models. */
export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  readonly violations: readonly Violation[];
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

const MAX_STATES = 4_000_000;

/** Explores `model` completely (or to its first broken rule). Throws if it has more than four million states. */
export function explore<State>(model: Model<State>): Exploration {
  const { actors, mustReach } = model;
  const table = new StateTable();
  const key = new Key();
  const waiting: (State | undefined)[] = [];
  const parents = new GrowingInts();
  const marks = new GrowingInts(); // per state two bits for each liveness rule: goal, from
  const fairFrom = new GrowingInts();
  const fairTo = new GrowingInts();
  const found = new Map<string, Violation>();
  let transitions = 0;
  let isFinished = false;

  const intern = (state: State, parent: number): number => {
    key.length = 0;
    model.key(state, key);
    const index = table.intern(key);
    if (index < waiting.length) return index;
    waiting.push(state);
    parents.push(parent);
    let bits = 0;
    for (let n = 0; n < mustReach.length; n++) {
      const rule = mustReach[n]!;
      if (rule.goal(state)) bits |= GOAL << (2 * n);
      if (rule.from(state)) bits |= FROM << (2 * n);
    }
    marks.push(bits);
    return index;
  };
  const report = (rule: string, index: number, last?: string): void => {
    if (!found.has(rule)) found.set(rule, shortestRun(model, parents, table, rule, index, last));
    isFinished = model.stopAtFirst;
  };

  for (const start of model.starts) intern(canonicalOf(model, start), NO_PARENT);
  for (let index = 0; index < waiting.length && !isFinished; index++) {
    const state = waiting[index] as State;
    waiting[index] = undefined;
    for (const actor of actors) {
      const steps = stepsOf(actor, state, report, index);
      for (let n = 0; n < steps.length && !isFinished; n++) {
        const step = steps[n]!;
        transitions++;
        const to = canonicalOf(model, step.to);
        const before = waiting.length;
        const target = intern(to, index);
        if (target === before) {
          const broken = model.brokenIn?.(to);
          if (broken) report(broken, target);
        }
        if (isFinished) break;
        const broken = model.brokenBy?.(state, to, step.action);
        if (broken) report(broken, index, `${step.actor}: ${step.action}`);
        if (isFinished) break;
        if (step.fair) {
          fairFrom.push(index);
          fairTo.push(target);
        }
      }
      if (isFinished) break;
    }
    if (waiting.length > MAX_STATES) throw new Error(`More than ${MAX_STATES} states: use smaller budgets.`);
  }
  if (!isFinished) {
    const backward = new BackwardEdges(waiting.length, fairFrom, fairTo);
    mustReach.forEach((rule, n) => {
      const stuck = firstThatCannotReach(marks, 2 * n, backward);
      if (stuck !== undefined) report(rule.rule, stuck);
    });
  }
  return { states: waiting.length, transitions, violations: [...found.values()] };
}

const NO_PARENT = -1;
const GOAL = 1;
const FROM = 2;

function canonicalOf<State>(model: Model<State>, state: State): State {
  return model.canonical ? model.canonical(state) : state;
}

function stepsOf<State>(
  actor: Actor<State>,
  state: State,
  report: (rule: string, index: number, last: string) => void,
  index: number,
): readonly Step<State>[] {
  try {
    return actor(state);
  } catch (error) {
    if (!(error instanceof RuleBroken)) throw error;
    report(error.rule, index, '(then)');
    return [];
  }
}

/** Walks the parents back to a start and then replays the path, because neither states nor labels were kept. */
function shortestRun<State>(
  model: Model<State>,
  parents: GrowingInts,
  table: StateTable,
  rule: string,
  index: number,
  last: string | undefined,
): Violation {
  const path: number[] = [];
  for (let at = index; at !== NO_PARENT; at = parents.at(at)) path.unshift(at);
  const key = new Key();
  const isAt = (state: State, position: number): boolean => {
    key.length = 0;
    model.key(state, key);
    return table.find(key) === path[position];
  };
  let state = model.starts.map(start => canonicalOf(model, start)).find(start => isAt(start, 0)) as State;
  const run: string[] = [`start: ${model.describe(state)}`];
  for (let position = 1; position < path.length; position++) {
    const here = state;
    const step = model.actors
      .flatMap(actor => stepsOf(actor, here, () => undefined, 0))
      .find(candidate => isAt(canonicalOf(model, candidate.to), position)) as Step<State>;
    run.push(`${step.actor}: ${step.action}`);
    state = canonicalOf(model, step.to);
  }
  if (last) run.push(last);
  return { rule, run, endsIn: model.describe(state) };
}

/** The first state (so one with a shortest run) that is marked FROM and has no fair path to one marked GOAL. */
function firstThatCannotReach(marks: GrowingInts, shift: number, backward: BackwardEdges): number | undefined {
  const reaches = new Uint8Array(marks.length);
  const stack: number[] = [];
  for (let index = 0; index < marks.length; index++) {
    if (marks.at(index) & (GOAL << shift)) {
      reaches[index] = 1;
      stack.push(index);
    }
  }
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    backward.forEachSource(at, source => {
      if (!reaches[source]) {
        reaches[source] = 1;
        stack.push(source);
      }
    });
  }
  for (let index = 0; index < marks.length; index++) {
    if (marks.at(index) & (FROM << shift) && !reaches[index]) return index;
  }
  return undefined;
}

/** The fair edges grouped by target. */
class BackwardEdges {
  readonly #offsets: Int32Array;
  readonly #sources: Int32Array;

  constructor(states: number, from: GrowingInts, to: GrowingInts) {
    this.#offsets = new Int32Array(states + 1);
    this.#sources = new Int32Array(from.length);
    for (let edge = 0; edge < to.length; edge++) this.#offsets[to.at(edge) + 1]! += 1;
    for (let index = 0; index < states; index++) this.#offsets[index + 1]! += this.#offsets[index]!;
    const next = this.#offsets.slice();
    for (let edge = 0; edge < to.length; edge++) this.#sources[next[to.at(edge)]!++] = from.at(edge);
  }

  forEachSource(target: number, visit: (source: number) => void): void {
    for (let edge = this.#offsets[target]!; edge < this.#offsets[target + 1]!; edge++) visit(this.#sources[edge]!);
  }
}

/** A list of 32-bit integers that doubles when full. */
class GrowingInts {
  length = 0;
  #values = new Int32Array(1024);

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index]!;
  }
}
