/**
 * Tables restored to an older point (or emptied) while messages of newer generations wait in the queues. Checks that
 * every event that has a message or an open record ends, and that each generation takes effect at most once after the
 * restore. What took effect before the restore and is not in the restored tables cannot be known: it may run again.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

interface Rules {
  /** A message whose generation is newer than the item's: write the replay it stems from, or treat it as a stray. */
  readonly newerMessage: 'replay write' | 'ack';
  /** That write requires an older generation in the item. */
  readonly replayWriteIfOlder: boolean;
  /** It also takes the message's `bodySha` (a replay may have chosen another body). */
  readonly replayWriteTakesBody: boolean;
  readonly noItem: "create with the message's gen" | 'create with gen 1' | 'ack';
  /** Neither item nor payload: copy the message to the DLQ, or ack. */
  readonly noPayload: 'copy to the DLQ' | 'ack';
  /** The drain deletes a dead letter whose record is no longer dead with its deadId; what else it requires of the record. */
  readonly drainRequires: 'a record, not of an older generation' | 'a record' | 'nothing';
}

const PROTOCOL: Rules = {
  newerMessage: 'replay write',
  replayWriteIfOlder: true,
  replayWriteTakesBody: true,
  noItem: "create with the message's gen",
  noPayload: 'copy to the DLQ',
  drainRequires: 'a record, not of an older generation',
};

interface Item {
  readonly status: 'pending' | 'processing' | 'completed' | 'dead';
  readonly gen: number;
  readonly body: 'first' | 'other';
}

/** A consumer with its message (`gen`; `dlq`: redriven) and what it does next. */
interface Consumer {
  readonly gen: number;
  readonly next: 'decide' | 'replay write' | 'run';
}

interface State {
  readonly item: Item | null;
  readonly payload: boolean;
  /** Copies in the queue of generation 1 and 2. The message of generation 2 is a replay with another body. */
  readonly copies: readonly number[];
  /** The event's dead letter (of generation 2), and whole copies of messages that could not run. */
  readonly deadLetters: number;
  readonly wholeCopies: number;
  readonly consumers: readonly (Consumer | null)[];
  readonly crashesLeft: number;
  readonly redrivesLeft: number;
  /** Ghosts: the newest generation somebody was promised an end for; effects per generation. */
  readonly owedGen: number;
  readonly effects: readonly number[];
}

type Restored = Partial<Pick<State, 'item' | 'payload' | 'copies' | 'deadLetters'>>;

const START: State = {
  item: null,
  payload: true,
  copies: [0, 0],
  deadLetters: 0,
  wholeCopies: 0,
  consumers: [null, null],
  crashesLeft: 1,
  redrivesLeft: 1,
  owedGen: 1,
  effects: [0, 0],
};

const item = (status: Item['status']): Item => ({ status, gen: 1, body: 'first' });
const RESTORED: readonly Restored[] = [
  { copies: [1, 0] },
  { copies: [1, 2] },
  { copies: [0, 1], payload: false },
  { deadLetters: 1 },
  { deadLetters: 1, copies: [0, 1] },
  { item: item('pending'), copies: [0, 2] },
  { item: item('processing'), copies: [1, 1] },
  { item: item('completed'), copies: [1, 2] },
  { item: item('dead'), copies: [0, 1] },
  { item: item('pending'), deadLetters: 1 },
];

const at = (list: readonly number[], gen: number): number => list[gen - 1] ?? 0;
const add = (list: readonly number[], gen: number, count: number): readonly number[] =>
  list.map((n, index) => (index === gen - 1 ? Math.min(3, n + count) : n));
const bodyOf = (gen: number): Item['body'] => (gen === 1 ? 'first' : 'other');

function restoreModel(rules: Rules): Model<State> {
  const ended = (state: State): boolean => {
    const busy = state.copies.some(count => count > 0) || state.consumers.some(consumer => consumer);
    const open = state.item?.status === 'pending' || state.item?.status === 'processing';
    const seen = (state.item?.gen ?? 0) >= state.owedGen || state.deadLetters > 0 || state.wholeCopies > 0;
    return !busy && !open && seen;
  };
  return {
    starts: RESTORED.map(restored => {
      const state = { ...START, ...restored };
      return { ...state, owedGen: at(state.copies, 2) > 0 || state.deadLetters > 0 ? 2 : 1 };
    }),
    actors: [consumerActor(rules, 0), consumerActor(rules, 1), sweeper(rules), person],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: LOST, from: () => true, goal: ended }],
    brokenIn: state => (state.effects.some(count => count > 1) ? TWICE : undefined),
    brokenBy: (from, to, action) => {
      if (from.item?.status === 'completed' && to.item?.gen === from.item.gen && to.item.status !== 'completed')
        return UNDONE;
      return action === 'runs (gen 2)' && from.item?.body === 'first' ? WRONG_BODY : undefined;
    },
    describe: state => JSON.stringify(state),
  };
}

const LOST = 'LOST';
const TWICE = 'I5 EFFECT TWICE IN ONE GENERATION';
const UNDONE = 'I4 A TERMINAL EVENT WAS UNDONE';
const WRONG_BODY = 'I13 RAN ANOTHER BODY THAN THE REPLAY CHOSE';

function consumerActor(rules: Rules, me: number): Actor<State> {
  const name = `consumer ${me}`;
  return state => {
    const self = state.consumers[me];
    if (self) return busySteps(rules, state, me, self);
    return [1, 2]
      .filter(gen => at(state.copies, gen) > 0)
      .map(gen => {
        const taken: State = { ...state, copies: add(state.copies, gen, -1) };
        const got: Consumer = { gen, next: 'decide' };
        return certain(name, `receives gen ${gen}`, { ...taken, consumers: replaceAt(state.consumers, me, got) });
      });
  };
}

function busySteps(rules: Rules, state: State, me: number, self: Consumer): readonly Step<State>[] {
  const name = `consumer ${me}`;
  const { gen } = self;
  const put = (changes: Partial<State>, next: Consumer['next'] | 'idle'): State => ({
    ...state,
    ...changes,
    consumers: replaceAt(state.consumers, me, next === 'idle' ? null : { gen, next }),
  });
  const step = (action: string, to: State): Step<State> => certain(name, `${action} (gen ${gen})`, to);
  const back = { copies: add(state.copies, gen, 1) };
  const steps: Step<State>[] = [];
  if (state.crashesLeft > 0) {
    steps.push(
      possible(name, `crashes before ${self.next}`, put({ ...back, crashesLeft: state.crashesLeft - 1 }, 'idle')),
    );
  }
  const record = state.item;
  if (self.next === 'decide') {
    if (!record) return [...steps, ...withoutItem(rules, state, gen, put, step)];
    if (record.gen > gen) steps.push(step('deletes a stale copy', put({}, 'idle')));
    else if (record.gen < gen) {
      if (rules.newerMessage === 'ack') steps.push(step('deletes a message it does not know', put({}, 'idle')));
      else steps.push(step('finds an older item', put({}, 'replay write')));
    } else if (record.status === 'completed' || record.status === 'dead') {
      steps.push(step('deletes a copy of a finished event', put({}, 'idle')));
    } else if (
      record.status === 'processing' &&
      state.consumers.some((c, i) => i !== me && c?.next === 'run' && c.gen === gen)
    ) {
      steps.push(step('finds a valid lease: hides the message', put(back, 'idle')));
    } else steps.push(step('claims', put({ item: { ...record, status: 'processing' } }, 'run')));
    return steps;
  }
  if (self.next === 'replay write') {
    if (record && record.gen >= gen && rules.replayWriteIfOlder) {
      return [...steps, step('is refused: reads the table again', put({}, 'decide'))];
    }
    const body = rules.replayWriteTakesBody || !record ? bodyOf(gen) : record.body;
    return [...steps, step('writes the replay', put({ item: { status: 'pending', gen, body } }, 'decide'))];
  }
  const mine = record?.gen === gen && record.status === 'processing';
  if (!mine || !record) return [...steps, step('has lost its lease', put(back, 'idle'))];
  if (!state.payload) {
    return [
      ...steps,
      step('has no payload: dead', put({ item: { ...record, status: 'dead' }, deadLetters: 1 }, 'idle')),
    ];
  }
  const effects = add(state.effects, gen, 1);
  return [...steps, step('runs', put({ item: { ...record, status: 'completed' }, effects }, 'idle'))];
}

/** The table was emptied: the message alone tells what the event was. */
function withoutItem(
  rules: Rules,
  state: State,
  gen: number,
  put: (changes: Partial<State>, next: Consumer['next'] | 'idle') => State,
  step: (action: string, to: State) => Step<State>,
): readonly Step<State>[] {
  if (rules.noItem === 'ack') return [step('deletes a message without an item', put({}, 'idle'))];
  if (!state.payload) {
    if (rules.noPayload === 'ack') return [step('has neither item nor payload: deletes it', put({}, 'idle'))];
    return [step('has neither item nor payload: copies it to the DLQ', put({ wholeCopies: 1 }, 'idle'))];
  }
  const created = rules.noItem === 'create with gen 1' ? 1 : gen;
  const record: Item = { status: 'processing', gen: created, body: bodyOf(gen) };
  const next = created === gen ? 'run' : 'decide';
  if (next === 'run') return [step('creates the item', put({ item: record }, 'run'))];
  // It runs under the generation it wrote, and its copies still carry the newer one.
  const ran = { ...record, status: 'completed' as const };
  return [
    step('creates the item with gen 1 and runs', put({ item: ran, effects: add(state.effects, gen, 1) }, 'idle')),
  ];
}

/** Sends open records that have no copy; drains dead letters whose record is no longer dead. */
function sweeper(rules: Rules): Actor<State> {
  return state => {
    const record = state.item;
    const steps: Step<State>[] = [];
    const open = record && record.status !== 'completed' && record.status !== 'dead';
    const busy = state.consumers.some(consumer => consumer) || state.copies.some(count => count > 0);
    if (open && !busy) steps.push(certain('sweeper', 'sends', { ...state, copies: add(state.copies, record.gen, 1) }));
    // The dead letter belongs to a death of generation 2, which a restored record of generation 1 does not know.
    const { drainRequires } = rules;
    const keeps =
      (!record && drainRequires !== 'nothing') ||
      (record?.gen === 1 && drainRequires === 'a record, not of an older generation') ||
      (record?.gen === 2 && record.status === 'dead');
    if (state.deadLetters > 0 && !keeps) {
      steps.push(certain('sweeper', 'drains the dead letter', { ...state, deadLetters: 0 }));
    }
    return steps;
  };
}

const person: Actor<State> = state =>
  state.redrivesLeft > 0 && state.deadLetters > 0
    ? [
        possible('person', 'redrives the dead letter', {
          ...state,
          deadLetters: 0,
          redrivesLeft: state.redrivesLeft - 1,
          copies: add(state.copies, 2, 1),
        }),
      ]
    : [];

export const restoreVariants: readonly Variant[] = [
  variant('GOOD', 'restored or emptied tables, messages of two generations', 670, [], () => restoreModel(PROTOCOL)),
  bad('a message newer than its item is deleted', 383, LOST, { newerMessage: 'ack' }),
  bad('the replay write of a newer message has no condition', 555, UNDONE, { replayWriteIfOlder: false }),
  bad('the replay write keeps the old body', 314, WRONG_BODY, { replayWriteTakesBody: false }),
  bad('a message without an item is deleted', 565, LOST, { noItem: 'ack' }),
  bad('a missing item is created with gen 1', 479, TWICE, { noItem: 'create with gen 1' }),
  bad('neither item nor payload: deleted', 670, LOST, { noPayload: 'ack' }),
  bad('the drain takes a missing record for "no longer dead"', 693, LOST, { drainRequires: 'nothing' }),
  variant('TEXT', 'the drain deletes a dead letter newer than its restored record', 686, [LOST], () =>
    restoreModel({ ...PROTOCOL, drainRequires: 'a record' }),
  ),
];

function bad(name: string, states: number, breaks: string, rules: Partial<Rules>): Variant {
  return variant('BAD', name, states, [breaks], () => restoreModel({ ...PROTOCOL, ...rules }));
}
