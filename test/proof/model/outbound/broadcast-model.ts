/**
 * A broadcast to two customers: its walk makes a job for each, which makes a delivery. Jobs may be lost. Customer A is
 * erased, somebody erases the body of the broadcast, and time passes the retention. B's delivery may wait behind a gate.
 */

import { keyOfValues } from '#test/proof/model/explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, type Step } from '#test/proof/model/explorer/model.ts';
import { type Variant, variant } from '#test/proof/model/variants.ts';

interface Rules {
  /** Jobs of the walk and of each customer that were lost. */
  readonly lost: 'are found from the level above' | 'the walk is not looked at' | 'those of a customer are not';
  readonly erasure: 'leaves the broadcast' | 'takes its body';
  readonly erased: 'gets no delivery' | 'gets one by a late job';
  /** When the body goes by itself. */
  readonly body: 'when nobody has a delivery left' | 'when one customer is done' | 'never';
  /** What waits while somebody erases the body. */
  readonly waiting: 'reads it again' | 'is sent as it was read';
}
const PROTOCOL: Rules = {
  lost: 'are found from the level above',
  erasure: 'leaves the broadcast',
  erased: 'gets no delivery',
  body: 'when nobody has a delivery left',
  waiting: 'reads it again',
};

type Job = 'none' | 'queued' | 'lost' | 'done';
interface Customer {
  readonly job: Job;
  /** `read`: a session has read the body and waits for its turn. */
  readonly delivery: 'none' | 'waiting' | 'read' | 'sent' | 'ended' | 'expired';
}
const NAMES = ['a', 'b'] as const;
type Name = (typeof NAMES)[number];
interface State {
  readonly walk: Job;
  readonly a: Customer;
  readonly b: Customer;
  readonly body: boolean;
  /** Somebody erases the body of the broadcast. */
  readonly person: 'idle' | 'answered';
  readonly erasureOfA: 'idle' | 'closed' | 'done';
  readonly old: boolean;
  readonly lossesLeft: number;
  /** Ghost: it was sent though somebody had heard that it is erased. */
  readonly sentAfter: boolean;
}

const LOST = 'A BROADCAST NEVER REACHES A CUSTOMER';
const TAKEN = 'THE BODY IS GONE WHILE A DELIVERY WAITS';
const SENT = 'AN ERASED BODY WAS SENT';
const BACK = 'AN ERASED CUSTOMER HAS A DELIVERY';
const LEFT = 'THE BODY IS LEFT WHEN NOBODY HAS A DELIVERY OF IT';

const isOver = ({ delivery }: Customer): boolean => ['sent', 'ended', 'expired'].includes(delivery);
const isGone = (state: State, name: Name): boolean => name === 'a' && state.erasureOfA !== 'idle';

/** Takes one of the losses. */
const loses = (state: State, what: string, change: Partial<State>): Step<State>[] =>
  state.lossesLeft > 0
    ? [possible('queue', `loses ${what}`, { ...state, ...change, lossesLeft: state.lossesLeft - 1 })]
    : [];

const walker: Actor<State> = state => {
  if (state.walk !== 'queued') return [];
  const asked = (name: Name): Customer =>
    isGone(state, name) || state[name].job !== 'none' ? state[name] : { ...state[name], job: 'queued' };
  return [
    certain<State>('walk', 'makes the jobs', { ...state, walk: 'done', a: asked('a'), b: asked('b') }),
    ...loses(state, 'the walk', { walk: 'lost' }),
  ];
};

function job(rules: Rules, name: Name): Actor<State> {
  return state => {
    const me = state[name];
    if (me.job !== 'queued') return [];
    const refused = isGone(state, name) && rules.erased === 'gets no delivery';
    const delivery = refused ? me.delivery : 'waiting';
    return [
      certain(`job of ${name}`, refused ? 'finds it erased' : 'puts the delivery', {
        ...state,
        [name]: { job: 'done', delivery },
      }),
      ...loses(state, `the job of ${name}`, { [name]: { ...me, job: 'lost' } }),
    ];
  };
}

/** Reconcile: the message has a walk, and each customer of a walk a job. */
function reconcile(rules: Rules): Actor<State> {
  return state => {
    const steps: Step<State>[] = [];
    if (state.walk === 'lost' && rules.lost !== 'the walk is not looked at')
      steps.push(certain('reconcile', 'sends the walk again', { ...state, walk: 'queued' }));
    if (rules.lost !== 'those of a customer are not')
      for (const name of NAMES)
        if (state[name].job === 'lost')
          steps.push(
            certain('reconcile', `sends the job of ${name} again`, {
              ...state,
              [name]: { ...state[name], job: 'queued' },
            }),
          );
    return steps;
  };
}

function session(rules: Rules, name: Name): Actor<State> {
  return state => {
    const { delivery } = state[name];
    const to = (change: Customer['delivery']): State => ({ ...state, [name]: { ...state[name], delivery: change } });
    const sent = (): State => ({ ...to('sent'), sentAfter: state.sentAfter || state.person === 'answered' });
    const look = (): State => (state.body ? sent() : to('ended'));
    const who = `session of ${name}`;
    if (delivery === 'waiting')
      // A gate may be closed until the retention is over.
      return state.old
        ? [certain(who, 'ends what is too old', to('expired'))]
        : [certain(who, 'sends', look()), possible(who, 'reads it and waits', state.body ? to('read') : to('ended'))];
    if (delivery !== 'read') return [];
    return [certain(who, 'has its turn', rules.waiting === 'reads it again' ? look() : sent())];
  };
}

const person: Actor<State> = state =>
  state.person === 'idle'
    ? [possible('person', 'erases the broadcast', { ...state, body: false, person: 'answered' })]
    : [];

function erasure(rules: Rules): Actor<State> {
  return state => {
    if (state.erasureOfA === 'idle') return [possible('eraser', 'closes A', { ...state, erasureOfA: 'closed' })];
    if (state.erasureOfA !== 'closed' || ['waiting', 'read'].includes(state.a.delivery)) return [];
    const body = state.body && rules.erasure === 'leaves the broadcast';
    return [
      certain('eraser', 'removes what A has', {
        ...state,
        body,
        erasureOfA: 'done',
        a: { ...state.a, delivery: 'none' },
      }),
    ];
  };
}

function time(rules: Rules): Actor<State> {
  return state => {
    const steps: Step<State>[] = [];
    const done = NAMES.map(name => isOver(state[name]) || (name === 'a' && state.erasureOfA === 'done'));
    const reached = NAMES.every(
      name => state[name].job === 'done' || (isGone(state, name) && state[name].job === 'none'),
    );
    if (!state.old && reached) steps.push(certain('time', 'passes the retention', { ...state, old: true }));
    const goes =
      (rules.body === 'when nobody has a delivery left' && state.old && done.every(Boolean)) ||
      (rules.body === 'when one customer is done' && done.some(Boolean));
    if (goes && state.body) steps.push(certain('time', 'removes the body', { ...state, body: false }));
    return steps;
  };
}

function broadcastModel(rules: Rules): Model<State> {
  const none: Customer = { job: 'none', delivery: 'none' };
  return {
    starts: [
      {
        ...{ walk: 'queued', a: none, b: none, body: true, person: 'idle', erasureOfA: 'idle' },
        ...{ old: false, lossesLeft: 2, sentAfter: false },
      },
    ],
    actors: [
      walker,
      ...NAMES.flatMap(name => [job(rules, name), session(rules, name)]),
      ...[reconcile(rules), person, erasure(rules), time(rules)],
    ],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [
      { rule: LOST, from: () => true, goal: ({ b }) => isOver(b) },
      { rule: LEFT, from: () => true, goal: ({ body }) => !body },
    ],
    brokenIn: ({ sentAfter, erasureOfA, a, b, person: asked, body }) => {
      if (sentAfter) return SENT;
      if (erasureOfA === 'done' && a.delivery !== 'none') return BACK;
      return !body && asked === 'idle' && ['waiting', 'read'].includes(b.delivery) ? TAKEN : undefined;
    },
    describe: state => JSON.stringify(state),
  };
}

const bad = (name: string, states: number, breaks: readonly string[], rules: Partial<Rules>): Variant =>
  variant('BAD', `broadcast: ${name}`, states, breaks, () => broadcastModel({ ...PROTOCOL, ...rules }));

export const broadcastVariants: readonly Variant[] = [
  variant('GOOD', 'broadcast: to two customers, two jobs lost, one customer erased', 917, [], () =>
    broadcastModel(PROTOCOL),
  ),
  bad('as it was: nobody looks for a lost walk', 899, [LOST, LEFT], { lost: 'the walk is not looked at' }),
  bad('nobody looks for a lost job of a customer', 917, [LOST, LEFT], { lost: 'those of a customer are not' }),
  bad('as it was: erasing one customer takes the body', 86, [TAKEN], { erasure: 'takes its body' }),
  bad('a late job of an erased customer', 88, [BACK], { erased: 'gets one by a late job' }),
  bad('the body goes with the first delivery', 119, [TAKEN], { body: 'when one customer is done' }),
  bad('the body never goes', 881, [LEFT], { body: 'never' }),
  bad('what waits is sent as it was read', 125, [SENT], { waiting: 'is sent as it was read' }),
];
