/**
 * A message whose write the table refuses (a full partition, an outage) and its copies. Waiting hidden costs one of the
 * queue's places in flight, so the processor sends it again with a delay and deletes it. Checks that a source whose writes are
 * refused leaves the places to others, that no message multiplies however often processes die between send and delete, that
 * every event ends although the refusals never do, and that the only copy of a body is never deleted.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from './explorer/model.ts';

/** Waits after which a message that never became a record goes to the DLQ (production: 3 days of them). */
const LONGEST = 2;

export interface HotRules {
  /** Where a refused message waits: sent again with a delay, or hidden in flight. */
  readonly waits: 'delayed copy' | 'in flight';
  readonly order: 'send, then delete' | 'delete, then send';
  /** Which messages may be sent again: those received for the first time, or all. */
  readonly sendsAgain: 'at the first receive' | 'at every receive';
  /** The copy is as old as the message it was made of. */
  readonly copyKeepsAge: boolean;
  /** The copy carries the body and all else that a record is made of. */
  readonly copyIsWhole: boolean;
  /** The queue does not take the copy: the message is hidden, or deleted all the same. */
  readonly sendFails: 'hides' | 'deletes';
}
export const HOT: HotRules = {
  waits: 'delayed copy',
  order: 'send, then delete',
  sendsAgain: 'at the first receive',
  copyKeepsAge: true,
  copyIsWhole: true,
  sendFails: 'hides',
};

export interface HotFaults {
  /** Processes may die at any step, as often as they like. */
  readonly deaths: boolean;
  /** Spare copies that SQS may deliver. */
  readonly spares: number;
  readonly queueErrors: number;
  /** The table may take the write again at some time; false: never. */
  readonly recovers: boolean;
  /** Places in flight. */
  readonly places: number;
}

interface Copy {
  readonly at: 'visible' | 'hidden' | 'delayed' | 'taken';
  /** 2: twice or more. */
  readonly received: 0 | 1 | 2;
  readonly age: number;
  readonly whole: boolean;
}

interface State {
  readonly event: 'open' | 'recorded' | 'dlq';
  readonly copies: readonly Copy[];
  /** What the consumer does next with the copy that it took. */
  readonly next: 'nothing' | 'write' | 'delete' | 'send';
  /** A message of another source, whose writes are taken. */
  readonly quiet: 'visible' | 'done';
  readonly spares: number;
  readonly queueErrors: number;
}

export const STOPPED = 'A HOT SOURCE STOPS A QUIET ONE';
export const MULTIPLIES = 'I12 A MESSAGE MULTIPLIES';
export const LOST = 'I7 THE ONLY COPY OF A BODY WAS DELETED';
export const ENDLESS = 'I2 AN EVENT NEVER ENDS';

export function hotSourceModel(rules: HotRules, faults: HotFaults): Model<State> {
  const fresh: Copy = { at: 'visible', received: 0, age: 0, whole: true };
  const { spares, queueErrors } = faults;
  /** One copy for each wait, and of each spare copy as many. */
  const bound = (LONGEST + 1) * (1 + spares);
  return {
    starts: [{ event: 'open', copies: [fresh], next: 'nothing', quiet: 'visible', spares, queueErrors }],
    actors: [queue, otherSource(faults), consumer(rules, faults)],
    key: keyOfValues(),
    canonical: state => ({ ...state, copies: state.copies.toSorted((a, b) => rank(a) - rank(b)) }),
    stopAtFirst: true,
    mustReach: [{ rule: ENDLESS, from: () => true, goal: ({ event }) => event !== 'open' }],
    brokenIn: state => {
      if (state.event === 'open' && !state.copies.some(({ whole }) => whole) && state.next !== 'send') return LOST;
      if (state.copies.length > bound) return MULTIPLIES;
      const isStopped = state.quiet === 'visible' && state.next === 'nothing' && inFlight(state) >= faults.places;
      return isStopped ? STOPPED : undefined;
    },
    describe: state => JSON.stringify(state),
  };
}

function rank({ at, received, age, whole }: Copy): number {
  return ['taken', 'visible', 'hidden', 'delayed'].indexOf(at) * 1_000 + age * 10 + received * 2 + Number(whole);
}

function inFlight({ copies }: State): number {
  return copies.filter(({ at }) => at === 'hidden' || at === 'taken').length;
}

/** Delays and visibility run out; a spare copy turns up. */
const queue: Actor<State> = state =>
  state.copies.flatMap((copy, n) => {
    const steps: Step<State>[] = [];
    const put = (changes: Partial<Copy>): readonly Copy[] => replaceAt(state.copies, n, { ...copy, ...changes });
    if (copy.at === 'hidden' || copy.at === 'delayed') {
      const age = Math.min(LONGEST, copy.age + 1);
      steps.push(certain('queue', 'a wait is over', { ...state, copies: put({ at: 'visible', age }) }));
    }
    if (copy.at === 'visible' && state.spares > 0)
      steps.push(
        possible('queue', 'a spare copy', { ...state, spares: state.spares - 1, copies: [...state.copies, copy] }),
      );
    return steps;
  });

function otherSource({ places }: HotFaults): Actor<State> {
  return state =>
    state.quiet === 'visible' && inFlight(state) < places
      ? [certain('quiet source', 'is received and done', { ...state, quiet: 'done' })]
      : [];
}

function consumer(rules: HotRules, faults: HotFaults): Actor<State> {
  return state => {
    const taken = state.copies.findIndex(({ at }) => at === 'taken');
    if (state.next === 'send') return afterDelete(rules, state);
    return taken < 0 ? receive(state, faults) : work(rules, faults, state, taken);
  };
}

function receive(state: State, { places }: HotFaults): readonly Step<State>[] {
  if (inFlight(state) >= places) return [];
  return state.copies.flatMap((copy, n) => {
    if (copy.at !== 'visible') return [];
    const received = copy.received === 0 ? 1 : 2;
    const copies = replaceAt(state.copies, n, { ...copy, at: 'taken', received } as Copy);
    return [certain('consumer', 'receives', { ...state, copies, next: 'write' })];
  });
}

function work(rules: HotRules, faults: HotFaults, state: State, at: number): readonly Step<State>[] {
  const copy = state.copies[at] as Copy;
  const without = state.copies.filter((_, n) => n !== at);
  const put = (changes: Partial<Copy>): readonly Copy[] => replaceAt(state.copies, at, { ...copy, ...changes });
  const steps: Step<State>[] = [];
  if (faults.deaths)
    steps.push(possible('consumer', 'dies', { ...state, next: 'nothing', copies: put({ at: 'hidden' }) }));
  if (state.next === 'delete')
    return [...steps, certain('consumer', 'deletes', { ...state, next: 'nothing', copies: without })];
  if (state.event !== 'open') return [...steps, certain('consumer', 'finds it done', { ...state, next: 'delete' })];
  if (faults.recovers)
    steps.push(possible('consumer', 'writes the record', { ...state, event: 'recorded', next: 'delete' }));
  if (copy.age >= LONGEST)
    return [...steps, certain('consumer', 'copies it to the DLQ', { ...state, event: 'dlq', next: 'delete' })];
  const hide: State = { ...state, next: 'nothing', copies: put({ at: 'hidden' }) };
  const mayBeSent = copy.received === 1 || rules.sendsAgain === 'at every receive';
  if (rules.waits === 'in flight' || !mayBeSent) return [...steps, certain('consumer', 'is refused, hides it', hide)];
  if (rules.order === 'delete, then send')
    return [...steps, certain('consumer', 'is refused, deletes it', { ...state, next: 'send', copies: without })];
  if (state.queueErrors > 0) {
    const failed = rules.sendFails === 'hides' ? hide : { ...state, next: 'delete' as const };
    steps.push(possible('consumer', 'cannot send it', { ...failed, queueErrors: state.queueErrors - 1 }));
  }
  const sent = [...state.copies, copyOf(copy, rules)];
  return [...steps, certain('consumer', 'is refused, sends it again', { ...state, next: 'delete', copies: sent })];
}

function copyOf(copy: Copy, rules: HotRules): Copy {
  return { at: 'delayed', received: 0, age: rules.copyKeepsAge ? copy.age : 0, whole: copy.whole && rules.copyIsWhole };
}

function afterDelete(rules: HotRules, state: State): readonly Step<State>[] {
  const sent = copyOf({ at: 'taken', received: 1, age: 0, whole: true }, rules);
  return [
    certain('consumer', 'sends it again', { ...state, next: 'nothing', copies: [...state.copies, sent] }),
    possible('consumer', 'dies', { ...state, next: 'nothing' }),
  ];
}
