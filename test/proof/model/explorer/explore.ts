/**
 * Breadth-first explorer of explicit-state models: it visits every state that a model can reach, checks rules on each
 * state and each step, and then checks liveness backward from the goals. Breadth first, so every bad run it prints is
 * a shortest one. States are known by their keys; a state object lives only until its steps are known.
 */
import { GrowingInts } from './growing-ints.ts';
import type { Model, Step } from './model.ts';
import { canonicalOf, canSpend, FAIR, FROM, GOAL, NOWHERE, Shapes, stepsOf } from './shapes.ts';
import type { Key } from './state-table.ts';

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

const MAX_STATES = 4_000_000;

/** Explores `model` completely (or to its first broken rule). Throws if it has more than four million states. */
export function explore<State>(model: Model<State>): Exploration {
  const shapes = new Shapes(model);
  const states = new States();
  const fairFrom = new GrowingInts();
  const fairTo = new GrowingInts();
  const found = new Map<string, Violation>();
  let transitions = 0;
  let isFinished = false;
  const report = (rule: string, at: number, last?: string): void => {
    if (!found.has(rule)) found.set(rule, shortestRun(model, shapes, states, { rule, at, last }));
    isFinished = model.stopAtFirst;
  };

  for (const start of model.starts)
    states.enter(shapes.enter(canonicalOf(model, start)), shapes.leftIn(start), NOWHERE);
  for (let at = 0; at < states.size && !isFinished; at++) {
    const left = states.left.at(at);
    const end = shapes.findSteps(states.shape.at(at), left);
    for (let step = shapes.begin; step < end && !isFinished; step++) {
      const spends = shapes.spends.at(step);
      if (!canSpend(left, spends)) continue;
      const to = shapes.to.at(step);
      const broken = shapes.broken.get(step);
      if (to !== NOWHERE) {
        transitions++;
        const before = states.size;
        const target = states.enter(to >> 1, left - spends, at);
        const rule = target === before ? shapes.brokenIn.get(to >> 1) : undefined;
        if (rule) report(rule, target);
        if (isFinished) break;
        if (to & FAIR) {
          fairFrom.push(at);
          fairTo.push(target);
        }
      }
      if (broken) report(broken.rule, at, broken.last);
    }
    if (states.size > MAX_STATES) throw new Error(`More than ${MAX_STATES} states: use smaller budgets.`);
  }
  if (!isFinished) {
    const backward = new BackwardEdges(states.size, fairFrom, fairTo);
    model.mustReach.forEach((rule, n) => {
      const stuck = firstThatCannotReach(states, shapes.marks, 2 * n, backward);
      if (stuck !== undefined) report(rule.rule, stuck);
    });
  }
  return { states: states.size, transitions, violations: [...found.values()] };
}

/** The same model without the reductions of the explorer. */
export function inFull<State>(model: Model<State>): Model<State> {
  const { budget, symmetric: _, ...rest } = model;
  if (budget === undefined) return rest;
  const key = (state: State, units: Key): void => {
    model.key(state, units);
    for (const count of Object.values(state[budget] as Readonly<Record<string, number>>)) units.add(count);
  };
  return { ...rest, key };
}

/** The states in the order in which they come: each is a shape and what is left of its budget. */
class States {
  readonly shape = new GrowingInts();
  readonly left = new GrowingInts();
  readonly parents = new GrowingInts();
  /** The last state of each shape, and of each state the one before it of its shape. */
  readonly #last = new GrowingInts();
  readonly #before = new GrowingInts();

  get size(): number {
    return this.shape.length;
  }

  /** Its number: `size`, as it was before the call, if it is a new one. */
  enter(shape: number, left: number, parent: number): number {
    while (shape >= this.#last.length) this.#last.push(NOWHERE);
    const last = this.#last.at(shape);
    for (let at = last; at !== NOWHERE; at = this.#before.at(at)) if (this.left.at(at) === left) return at;
    this.#last.set(shape, this.size);
    this.#before.push(last);
    this.left.push(left);
    this.parents.push(parent);
    this.shape.push(shape);
    return this.size - 1;
  }
}

interface Broken {
  readonly rule: string;
  readonly at: number;
  readonly last: string | undefined;
}

/** Walks the parents back to a start and then replays the path, because neither states nor labels were kept. */
function shortestRun<State>(
  model: Model<State>,
  shapes: Shapes<State>,
  states: States,
  { rule, at, last }: Broken,
): Violation {
  const path: number[] = [];
  for (let to = at; to !== NOWHERE; to = states.parents.at(to)) path.unshift(to);
  const isAt = (state: State, position: number): boolean =>
    shapes.find(state) === states.shape.at(path[position]!) && shapes.leftIn(state) === states.left.at(path[position]!);
  let state = model.starts.map(start => canonicalOf(model, start)).find(start => isAt(start, 0)) as State;
  const run: string[] = [`start: ${model.describe(state)}`];
  for (let position = 1; position < path.length; position++) {
    const here = state;
    const step = model.actors
      .flatMap(actor => stepsOf(actor, here))
      .find(candidate => isAt(canonicalOf(model, candidate.to), position)) as Step<State>;
    run.push(`${step.actor}: ${step.action}`);
    state = canonicalOf(model, step.to);
  }
  if (last) run.push(last);
  return { rule, run, endsIn: model.describe(state) };
}

/** The first state (so one with a shortest run) that is marked FROM and has no fair path to one marked GOAL. */
function firstThatCannotReach(
  { shape, size }: States,
  marks: GrowingInts,
  shift: number,
  backward: BackwardEdges,
): number | undefined {
  const reaches = new Uint8Array(size);
  const stack: number[] = [];
  for (let at = 0; at < size; at++) {
    if (marks.at(shape.at(at)) & (GOAL << shift)) {
      reaches[at] = 1;
      stack.push(at);
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
  for (let at = 0; at < size; at++) if (marks.at(shape.at(at)) & (FROM << shift) && !reaches[at]) return at;
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
