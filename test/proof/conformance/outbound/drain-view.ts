/** The states that the model may be in, beside what the walked sessions left: they stay as long as both agree. */
import { isDeepStrictEqual } from 'node:util';
import { Divergence } from '#test/proof/conformance/expect-call.ts';
import { overdueStep } from '#test/proof/conformance/overdue-step.ts';
import type { Model, Step } from '#test/proof/model/explorer/model.ts';
import { Key } from '#test/proof/model/explorer/state-table.ts';
import type { Drainer, State } from '#test/proof/model/outbound/outbound-state.ts';
import type { DrainSession } from './drain-session.ts';
import { PLACE } from './drain-states.ts';
import { messageId, type OutboundWorld, seenOf } from './outbound-world.ts';

interface Seen {
  readonly runtime: ReturnType<OutboundWorld['runtime']>;
  readonly messages: readonly ReturnType<OutboundWorld['message']>[];
}

export class DrainView {
  readonly #model: Model<State>;
  readonly #world: OutboundWorld;
  readonly #sessions: readonly (DrainSession | undefined)[];
  readonly #repeating: ReadonlySet<DrainSession>;

  constructor(
    model: Model<State>,
    world: OutboundWorld,
    sessions: readonly (DrainSession | undefined)[],
    repeating: ReadonlySet<DrainSession>,
  ) {
    this.#model = model;
    this.#world = world;
    this.#sessions = sessions;
    this.#repeating = repeating;
  }

  stepsOf(state: State, actor?: string, action?: RegExp | string): readonly Step<State>[] {
    return this.#model.actors
      .flatMap(of => of(state))
      .filter(step => actor === undefined || step.actor === actor)
      .filter(
        step =>
          action === undefined || (typeof action === 'string' ? step.action === action : action.test(step.action)),
      );
  }

  /** Of these states, those that are what there is. There must be one. */
  settled(what: string, states: readonly State[], before: readonly State[]): readonly State[] {
    const caughtUp = states.map(state => this.#catchUp(state));
    const seen = this.#seen(before);
    const same = new Map(caughtUp.filter(state => this.#isSeen(state, seen)).map(state => [this.#keyOf(state), state]));
    const errors = this.#sessions.flatMap(it => it?.errors ?? []);
    if (errors.length > 0) throw new Divergence(errors.join('\n'));
    if (same.size === 0) {
      const expected = caughtUp.map(state => this.#describe(state)).join('\n         ');
      throw new Divergence(
        `after ${what} the code is where the model cannot be\nmodel    ${expected}\ncode     ${this.#describeSeen(seen)}\nbefore   ${before.map(state => this.#describe(state)).join('\n         ')}`,
      );
    }
    const agreed = [...same.values()];
    const broken = agreed.map(state => this.#model.brokenIn?.(state)).find(Boolean);
    if (broken) throw new Divergence(broken);
    return agreed;
  }

  #keyOf(state: State): string {
    const key = new Key();
    this.#model.key(state, key);
    return key.units.subarray(0, key.length).join();
  }

  #describe(state: State): string {
    return `${this.#model.describe(state)}; ${JSON.stringify(state.drainers)}`;
  }

  /** What there is, read once for all states. */
  #seen([state]: readonly State[]): Seen {
    const messages = state?.messages.map((_, m) => this.#world.message(m)) ?? [];
    return { runtime: this.#world.runtime(), messages };
  }

  #describeSeen(seen: Seen): string {
    const places = this.#sessions.map(it => it && (it.before ?? String(it.end)));
    return JSON.stringify({ ...seen, places, errors: this.#sessions.map(it => it?.errors) });
  }

  #isSeen(state: State, seen: Seen): boolean {
    return (
      isDeepStrictEqual(seenOf(state.runtime), seen.runtime) &&
      state.messages.every(({ stored, record, rows }, m) =>
        isDeepStrictEqual({ stored, record, rows }, seen.messages[m]),
      ) &&
      state.drainers.every((drainer, me) => this.#isPlaced(drainer, this.#sessions[me]))
    );
  }

  /** The session stands where the model is, and its request is the one that is in the air there. */
  #isPlaced(drainer: Drainer | undefined, session: DrainSession | undefined): boolean {
    if (!drainer || !session) return !drainer && !session;
    if (session.inAir) {
      const { message, row } = drainer.hand[0] ?? {};
      if (message === undefined || messageId(message) !== session.inAir.id || row?.n !== session.inAir.n) return false;
    }
    if (this.#repeating.has(session)) return true;
    if (session.before === undefined) return session.end === 'ack' && drainer.step === 'ack';
    return PLACE[session.before] === drainer.step;
  }

  #catchUp(from: State): State {
    let state = from;
    for (let step = this.#overdue(state); step; step = this.#overdue(state)) state = step.to;
    return state;
  }

  #overdue(state: State): Step<State> | undefined {
    const { hold, wake } = state.runtime;
    const waits = state.messages.some(({ rows }) => rows.some(row => row.due === 'ahead'));
    return hold || wake === 'ahead' || waits ? overdueStep(this.stepsOf(state), this.#world) : undefined;
  }
}
