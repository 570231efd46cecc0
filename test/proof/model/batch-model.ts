/**
 * A request with two events, recorded as one parent. The splitter puts and sends each child under its own key, then
 * completes the parent. Checks that each good child takes effect, and once, whatever crashes; that a bad child costs
 * its neighbours nothing; that two splitters, a lost lease or a replay of the parent repeat nothing.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

interface Rules {
  /** When the parent is completed. Durable: recorded (the sweeper sends), or put in the queue where there is no sweeper. */
  readonly parentCompletes: 'after the children are durable' | 'first';
  /** own: the event's id. random: a new key each time. */
  readonly childKey: 'own' | 'random';
  readonly childPut: 'if absent' | 'always';
  /** A child that is there already and may be unsent: send it again, or leave it to the sweeper. */
  readonly unsentChild: 'sends' | 'skips';
  readonly sweeper: boolean;
  /** An item that cannot be split: recorded as an event of its own (which dies visibly), or the split stops there. */
  readonly badItem: 'own event' | 'stops the split';
  readonly finishIfOwner: boolean;
}

const PROTOCOL: Rules = {
  parentCompletes: 'after the children are durable',
  childKey: 'own',
  childPut: 'if absent',
  unsentChild: 'skips',
  sweeper: true,
  badItem: 'own event',
  finishIfOwner: true,
};

interface Child {
  /** `final`: completed, or dead where the item is bad. */
  readonly status: 'absent' | 'unsent' | 'enqueued' | 'final';
  readonly copies: number;
  readonly effects: number;
}

/** A splitter at work: the child it is at, what it does next, and whether its lease has ended. */
interface Splitter {
  readonly child: number;
  readonly next: 'put' | 'send' | 'complete';
  readonly lostLease: boolean;
}

interface State {
  readonly parent: 'pending' | 'processing' | 'completed' | 'dead';
  readonly attemptsLeft: number;
  readonly splitters: readonly (Splitter | null)[];
  readonly children: readonly Child[];
  readonly crashesLeft: number;
  readonly lostRepliesLeft: number;
  readonly zombiesLeft: number;
  readonly queueErrorsLeft: number;
  readonly replaysLeft: number;
}

type Faults = Partial<
  Pick<State, 'crashesLeft' | 'lostRepliesLeft' | 'zombiesLeft' | 'queueErrorsLeft' | 'replaysLeft'>
>;

const NO_CHILD: Child = { status: 'absent', copies: 0, effects: 0 };
const START: State = {
  parent: 'pending',
  attemptsLeft: 4,
  splitters: [null, null],
  children: [NO_CHILD, NO_CHILD],
  crashesLeft: 0,
  lostRepliesLeft: 0,
  zombiesLeft: 0,
  queueErrorsLeft: 0,
  replaysLeft: 0,
};
/** With a bad item among them, it is the first: everything behind it is at stake. */
const BAD_ITEM = 0;

function batchModel(rules: Rules, faults: Faults, withBadItem = false): Model<State> {
  const isBad = (child: number): boolean => withBadItem && child === BAD_ITEM;
  const settled = (state: State): boolean =>
    (state.parent === 'completed' || state.parent === 'dead') &&
    state.children.every((child, i) => child.status === 'final' || (isBad(i) && state.parent === 'dead'));
  return {
    starts: [{ ...START, ...faults }],
    actors: [claimer, splitter(rules, 0, isBad), splitter(rules, 1, isBad), consumer(isBad), sweeper(rules), operator],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: LOST, from: () => true, goal: settled }],
    brokenIn: state => (state.children.some(child => child.effects > 1) ? TWICE : undefined),
    brokenBy: (from, to, action) =>
      from.parent === 'completed' && to.parent !== 'completed' && action !== 'replays the parent' ? UNDONE : undefined,
    describe: state => JSON.stringify(state),
  };
}

const LOST = 'A CHILD IS LOST';
const TWICE = 'EFFECT TWICE';
const UNDONE = 'COMPLETED UNDONE';

/** The parent's message is delivered again until it is final: its queue part is that of any event. */
const claimer: Actor<State> = state => {
  const free = state.splitters.indexOf(null);
  const busy = state.splitters.some(splitter => splitter && !splitter.lostLease);
  if (free < 0 || busy || state.parent === 'completed' || state.parent === 'dead') return [];
  if (state.attemptsLeft === 0) {
    return [certain('splitter', 'attempts are spent: the parent dies', { ...state, parent: 'dead' })];
  }
  const begun: Splitter = { child: 0, next: 'put', lostLease: false };
  const splitters = replaceAt(state.splitters, free, begun);
  return [
    certain(`splitter ${free}`, 'claims the parent', {
      ...state,
      parent: 'processing',
      attemptsLeft: state.attemptsLeft - 1,
      splitters,
    }),
  ];
};

function splitter(rules: Rules, me: number, isBad: (child: number) => boolean): Actor<State> {
  const name = `splitter ${me}`;
  return state => {
    const self = state.splitters[me];
    if (!self) return [];
    const stop = (from: State): State => ({ ...from, splitters: replaceAt(from.splitters, me, null) });
    const go = (from: State, changes: Partial<Splitter>): State => ({
      ...from,
      splitters: replaceAt(from.splitters, me, { ...self, ...changes }),
    });
    const steps: Step<State>[] = [];
    if (state.crashesLeft > 0) {
      steps.push(possible(name, `crashes before ${self.next}`, stop({ ...state, crashesLeft: state.crashesLeft - 1 })));
    }
    if (state.zombiesLeft > 0 && !self.lostLease) {
      const lost = go({ ...state, zombiesLeft: state.zombiesLeft - 1 }, { lostLease: true });
      steps.push(possible(name, '(its lease ends, it runs on)', lost));
    }
    const child = state.children[self.child] ?? NO_CHILD;
    const withChild = (changes: Partial<Child>): State => ({
      ...state,
      children: replaceAt(state.children, self.child, { ...child, ...changes }),
    });
    const next: Partial<Splitter> =
      self.child + 1 < state.children.length ? { child: self.child + 1, next: 'put' } : { next: 'complete' };

    if (self.next === 'put') {
      if (rules.parentCompletes === 'first' && self.child === 0 && state.parent === 'processing') {
        return [...steps, certain(name, 'completes the parent', { ...state, parent: 'completed' })];
      }
      if (isBad(self.child) && rules.badItem === 'stops the split') {
        return [...steps, certain(name, 'throws at the bad item', stop(state))];
      }
      const exists = child.status !== 'absent' && rules.childKey === 'own' && rules.childPut === 'if absent';
      const written = withChild({ status: 'unsent' });
      if (!exists) {
        steps.push(certain(name, `puts child ${self.child}`, go(written, { next: 'send' })));
        if (state.lostRepliesLeft > 0) {
          const lost = { ...written, lostRepliesLeft: state.lostRepliesLeft - 1 };
          const sends = rules.unsentChild === 'sends';
          const action = `puts child ${self.child}, reply lost, own retry refused`;
          steps.push(possible(name, action, go(lost, sends ? { next: 'send' } : next)));
        }
      } else if (child.status === 'unsent' && rules.unsentChild === 'sends') {
        steps.push(certain(name, `finds child ${self.child} unsent`, go(state, { next: 'send' })));
      } else steps.push(certain(name, `finds child ${self.child}`, go(state, next)));
      return steps;
    }
    if (self.next === 'send') {
      const sent = withChild({ copies: Math.min(2, child.copies + 1) });
      steps.push(certain(name, `sends child ${self.child}`, go(sent, next)));
      if (state.queueErrorsLeft > 0) {
        const failed = { ...state, queueErrorsLeft: state.queueErrorsLeft - 1 };
        // A recorded child may be left to the sweeper; without one the parent must not go on.
        const action = `fails to send child ${self.child}`;
        steps.push(possible(name, action, rules.sweeper ? go(failed, next) : stop(failed)));
      }
      return steps;
    }
    const owns = state.parent === 'processing' && !self.lostLease;
    if (!owns && rules.finishIfOwner) return [...steps, certain(name, 'is done or has lost its lease', stop(state))];
    return [...steps, certain(name, 'completes the parent', stop({ ...state, parent: 'completed' }))];
  };
}

/** Runs a child: claim, effect and completion are one step here, because other models check what is between them. */
function consumer(isBad: (child: number) => boolean): Actor<State> {
  return state =>
    state.children.flatMap((child, i) => {
      if (child.copies === 0) return [];
      const copies = child.copies - 1;
      const step = (action: string, changes: Partial<Child>): Step<State> =>
        certain('consumer', `${action} child ${i}`, {
          ...state,
          children: replaceAt(state.children, i, { ...child, ...changes }),
        });
      if (child.status === 'final') return [step('deletes a stale copy of', { copies })];
      if (isBad(i)) return [step('buries', { copies, status: 'final' })];
      return [step('runs', { copies, status: 'final', effects: child.effects + 1 })];
    });
}

function sweeper(rules: Rules): Actor<State> {
  return state =>
    rules.sweeper
      ? state.children.flatMap((child, i) => {
          if (child.copies > 0 || (child.status !== 'unsent' && child.status !== 'enqueued')) return [];
          const sent: Child = { ...child, status: 'enqueued', copies: 1 };
          return [certain('sweeper', `sends child ${i}`, { ...state, children: replaceAt(state.children, i, sent) })];
        })
      : [];
}

/** A person replays the parent: its children exist, so nothing happens to them. */
const operator: Actor<State> = state =>
  state.replaysLeft > 0 && state.parent === 'completed'
    ? [possible('operator', 'replays the parent', { ...state, parent: 'pending', replaysLeft: state.replaysLeft - 1 })]
    : [];

const everything: Faults = { crashesLeft: 2, lostRepliesLeft: 1, zombiesLeft: 1, queueErrorsLeft: 1, replaysLeft: 1 };

export const batchVariants: readonly Variant[] = [
  variant('GOOD', 'batch: two crashes, lost reply, zombie, queue error, replay', 20_396, [], () =>
    batchModel(PROTOCOL, everything),
  ),
  variant('GOOD', 'batch with a bad item', 2_053, [], () =>
    batchModel(PROTOCOL, { crashesLeft: 1, zombiesLeft: 1 }, true),
  ),
  bad('parent completed before its children', 139, LOST, { crashesLeft: 1 }, { parentCompletes: 'first' }),
  bad('children under random keys', 146, TWICE, { crashesLeft: 1 }, { childKey: 'random' }),
  bad('children put without a condition', 146, TWICE, { crashesLeft: 1 }, { childPut: 'always' }),
  bad('unsent children skipped, no sweeper', 64, LOST, { crashesLeft: 1 }, { sweeper: false }),
  variant('BAD', 'a bad item stops the split', 10, [LOST], () =>
    batchModel({ ...PROTOCOL, badItem: 'stops the split' }, {}, true),
  ),
  spare('unsent children sent again (the sweeper would)', 49_078, { unsentChild: 'sends' }),
  spare('no sweeper for children (the next split covers)', 17_176, { sweeper: false, unsentChild: 'sends' }),
  spare('completion of the parent not fenced (its children are durable)', 20_650, { finishIfOwner: false }),
];

function bad(name: string, states: number, breaks: string, faults: Faults, rules: Partial<Rules>): Variant {
  return variant('BAD', name, states, [breaks], () => batchModel({ ...PROTOCOL, ...rules }, faults));
}

function spare(name: string, states: number, rules: Partial<Rules>): Variant {
  return variant('SPARE', name, states, [], () => batchModel({ ...PROTOCOL, ...rules }, everything));
}
