/**
 * State machine: the allowed moves as a table. An event that comes too early waits for the one before it; one that comes
 * too late is stale; a move no path leads to is rejected.
 */
import { all, holds, missing, same } from '#core/condition.ts';
import {
  done,
  type HandlerContext,
  type Outcome,
  PermanentError,
  reject,
  retryAfter,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
import type { EffectWrite, ItemData } from '#core/ports.ts';
import { commitEntity, type Entity, type EntityState, tooLate, writeEntity } from './entity.ts';
import { checkComparable, describeNewer, mayReplace, STATE, VERSION, VERSION_EVENT, type Version } from './version.ts';
import { waitForEarlier } from './waiting.ts';

/** Which states there are, and which state may follow which. */
export interface StateTable<State extends string> {
  /** States an entity may begin in. */
  readonly initial: readonly State[];
  /** From each state, the states one event may lead to. */
  readonly moves: { readonly [From in State]: readonly State[] };
}

/** One move of one entity: where it should go, and what else is written with it. */
export interface Move<State extends string> {
  readonly entity: Entity;
  /** The state the event says the entity is in now. */
  readonly to: State;
  /** Other attributes of the row. @default none */
  readonly state?: EntityState;
  /** Orders events that repeat a state. Required if the table has a cycle. */
  readonly version?: Version | undefined;
  /** More writes, committed only together with the move. @default none */
  readonly effects?: readonly EffectWrite[];
}

/** What the table says of a move. */
export type MoveVerdict =
  | { readonly kind: 'allowed' }
  /** The entity is in this state already. */
  | { readonly kind: 'repeated' }
  /** A state in between has not been seen yet. */
  | { readonly kind: 'early' }
  /** The entity has been there and has moved on. */
  | { readonly kind: 'late' }
  | { readonly kind: 'never' };

/**
 * A machine that `stateMachine()` made. `move` moves an entity; `judge` only says what the table allows.
 * @example
 * const orders = stateMachine({ initial: ['open'], moves: { open: ['paid'], paid: [] } });
 * return orders.move(event, context, { entity: { table: 'orders', key: { id: 'o_1' } }, to: 'paid' });
 */
export class StateMachine<State extends string> {
  readonly #table: StateTable<State>;
  readonly #after: ReadonlyMap<State, ReadonlySet<State>>;
  /** An entity can come back to a state it has left. */
  readonly isCyclic: boolean;

  constructor(table: StateTable<State>) {
    checkTable(table);
    this.#table = table;
    const states = Object.keys(table.moves) as State[];
    this.#after = new Map(states.map(state => [state, reachableFrom(state, table.moves)]));
    this.isCyclic = states.some(state => this.#leads(state, state));
  }

  /** `from` undefined: there is no row yet. */
  judge(from: State | undefined, to: State): MoveVerdict {
    const { initial, moves } = this.#table;
    if (from === to) return { kind: 'repeated' };
    if (from === undefined) return { kind: initial.includes(to) ? 'allowed' : 'early' };
    if (moves[from].includes(to)) return { kind: 'allowed' };
    if (this.#leads(from, to)) return { kind: 'early' };
    return { kind: this.#leads(to, from) ? 'late' : 'never' };
  }

  /**
   * Moves the entity: `completed`, `deferred` (too early: after 30 s, 2 min, 10 min, 1 h, then every 6 h, up to 7 days),
   * `skipped_stale` (repeated or late) or `rejected` (never allowed), each with its reason. Throws PermanentError for a
   * state that the table does not have, and if the table has a cycle and no version is given.
   */
  async move(event: WebhookEvent, context: HandlerContext, move: Move<State>): Promise<Outcome> {
    const { entity, to } = move;
    if (!Object.hasOwn(this.#table.moves, to))
      throw new PermanentError(`"${to}" is not a state of the table: add it to \`moves\``);
    if (this.isCyclic && !('version' in move))
      throw new PermanentError(
        'this table of states has a cycle, so its states alone do not tell old from new: give `version`',
      );
    const row = await context.read(entity.table, entity.key);
    const version = 'version' in move ? checkComparable(move.version, row) : undefined;
    if (version !== undefined && !holds(mayReplace(version, event.id), row))
      return tooLate(context, describeNewer(version, row));
    const from = this.#stateOf(row);
    if (from === undefined && version === undefined && row?.[VERSION_EVENT] !== undefined)
      throw new PermanentError(
        `another strategy wrote the row and stored no "${STATE}", so nobody knows what may follow: let it store one, or give \`version\``,
      );
    switch (this.judge(from, to).kind) {
      case 'allowed':
        return this.#apply(event, context, move, from, version);
      case 'repeated':
        // With a version it is known to be the newer one: the row learns it, so that what lies between is stale.
        return version === undefined
          ? tooLate(context, `it is "${to}" already`)
          : this.#apply(event, context, move, from, version);
      case 'early':
        return waitForEarlier(
          context,
          `"${to}" came too early: ${from === undefined ? 'nothing is stored yet' : `it is "${from}" now`}`,
        );
      case 'late':
        // With a version it is the newer one, so this is no lateness.
        if (version === undefined) return tooLate(context, `"${to}" came late; it is "${from}" by now`);
        break;
      case 'never':
        break;
    }
    return reject(`no move leads from "${from}" to "${to}"`);
  }

  #apply(
    event: WebhookEvent,
    context: HandlerContext,
    { entity, to, state = {}, effects = [] }: Move<State>,
    from: State | undefined,
    version: Version | undefined,
  ): Outcome {
    const unmoved = same(STATE, from);
    // Without a state and a version, what another strategy wrote since the read must not be taken for no row.
    const ours = from === undefined ? all(unmoved, missing(VERSION_EVENT)) : unmoved;
    const condition = version === undefined ? ours : all(unmoved, mayReplace(version, event.id));
    const ordering = {
      [STATE]: to,
      ...(version === undefined ? {} : { [VERSION]: version, [VERSION_EVENT]: event.id }),
    };
    // Refused: the row has moved since it was read. The next attempt judges it as it is then.
    const onRefused = retryAfter(1, 'the entity moved at the same time');
    commitEntity(context, writeEntity(entity, state, ordering, condition), effects, onRefused);
    return done({ actionTaken: from === undefined ? `began as "${to}"` : `moved from "${from}" to "${to}"` });
  }

  #leads(from: State, to: State): boolean {
    return this.#after.get(from)?.has(to) ?? false;
  }

  /** A row without a state (older data) counts as none. */
  #stateOf(row: ItemData | undefined): State | undefined {
    const state = row?.[STATE];
    if (state === undefined) return undefined;
    if (typeof state !== 'string' || !Object.hasOwn(this.#table.moves, state))
      throw new PermanentError(
        `the row has the state "${String(state).slice(0, 40)}", which is not in the table: add it to \`moves\``,
      );
    return state as State;
  }
}

/**
 * Makes a state machine from its table. Throws RangeError for a table that names unknown states or has no initial one.
 * @example
 * const orders = stateMachine({ initial: ['open'], moves: { open: ['paid', 'void'], paid: [], void: [] } });
 */
export function stateMachine<State extends string>(table: StateTable<State>): StateMachine<State> {
  return new StateMachine(table);
}

function checkTable<State extends string>({ initial, moves }: StateTable<State>): void {
  if (initial.length === 0)
    throw new RangeError('the table of states has no initial state: name at least one in `initial`');
  for (const state of [...initial, ...(Object.values(moves) as State[][]).flat()]) {
    if (!Object.hasOwn(moves, state))
      throw new RangeError(`state "${state}" has no line in \`moves\`: add ${state}: [] if nothing follows it`);
  }
}

/** States that one or more moves lead to. */
function reachableFrom<State extends string>(start: State, moves: StateTable<State>['moves']): ReadonlySet<State> {
  const found = new Set<State>();
  const open: State[] = [...moves[start]];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (found.has(state)) continue;
    found.add(state);
    open.push(...moves[state]);
  }
  return found;
}
