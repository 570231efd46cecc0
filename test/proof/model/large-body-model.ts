/**
 * A body too large for an item, in the bucket, which deletes an object a fixed time after its last put and knows nothing
 * of records. Whoever lets a record live longer must put the object anew: the attempt that reads it, and the nightly audit
 * for what is not attempted. Days pass one by one; a night's audit may not come. Checks I14: what may still run has its
 * body. The item that names the object is payload-model.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, type Model, possible, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

/** In days, scaled down (production: 30, 90, 7). The margin covers the first days and the nights that did not come. */
const RETENTION = 2;
const DEAD_RETENTION = 5;
const MARGIN = 3;

interface Rules {
  /** When an attempt puts the object anew. */
  readonly attempt: 'as it reads' | 'after its end' | 'never';
  /** Attempts put nothing in the first days of an event: the first put covers them. */
  readonly freshDays: number;
  /** Which open events the audit puts anew: those that came long ago, those whose record has not changed for long, none. */
  readonly audit: 'came long ago' | 'unchanged for long' | 'never';
  readonly lifeDays: number;
}

const PROTOCOL: Rules = {
  attempt: 'as it reads',
  freshDays: 1,
  audit: 'came long ago',
  lifeDays: DEAD_RETENTION + MARGIN,
};
/** Production: 30 of 97 days. */
const LONG = 2;
/** Nights in a row without an audit. */
const MISSED = 1;

interface State {
  /** `waiting`: open, and nobody attempts it (a pause). */
  readonly status: 'open' | 'waiting' | 'completed' | 'dead' | 'deleted';
  /** Until the record expires; 0 while it is open. */
  readonly recordDays: number;
  /** Until the bucket deletes the object; 0: it is gone. */
  readonly objectDays: number;
  /** Since the event came, and since the record last changed; counted as far as they matter. */
  readonly age: number;
  readonly unchanged: number;
  readonly missedNights: number;
  readonly replaysLeft: number;
  /** The attempt has ended and not put yet. */
  readonly putDue: boolean;
}

const GONE = 'I14 A RECORD THAT MAY RUN HAS NO BODY';

function largeBodyModel(rules: Rules): Model<State> {
  const start: State = {
    status: 'open',
    recordDays: 0,
    objectDays: rules.lifeDays,
    age: 0,
    unchanged: 0,
    missedNights: 0,
    replaysLeft: 2,
    putDue: false,
  };
  return {
    starts: [start],
    actors: [processor(rules), person, time(rules)],
    mustReach: [],
    key: keyOfValues(),
    stopAtFirst: true,
    brokenIn: state => (state.status !== 'deleted' && state.objectDays === 0 ? GONE : undefined),
    describe: state => JSON.stringify(state),
  };
}

function processor(rules: Rules): Actor<State> {
  return state => {
    const steps: Step<State>[] = [];
    if (state.putDue) {
      steps.push(possible('consumer', 'puts it anew', { ...state, putDue: false, objectDays: rules.lifeDays }));
      steps.push(possible('consumer', 'crashes before it puts', { ...state, putDue: false }));
    }
    if (state.status !== 'open') return steps;
    const old = state.age > rules.freshDays;
    const read = rules.attempt === 'as it reads' && old ? { ...state, objectDays: rules.lifeDays } : state;
    const putDue = rules.attempt === 'after its end' && old;
    const end = (action: string, changes: Partial<State>): Step<State> =>
      possible('consumer', action, { ...read, unchanged: 0, ...changes });
    return [
      ...steps,
      end('completes', { status: 'completed', recordDays: RETENTION, putDue }),
      end('dies', { status: 'dead', recordDays: DEAD_RETENTION, putDue }),
      end('is deferred', {}),
      // It looks for a pause before it reads the body.
      possible('consumer', 'finds its source paused', { ...state, status: 'waiting', unchanged: 0 }),
    ];
  };
}

const person: Actor<State> = state => {
  if (state.status === 'waiting')
    return [possible('person', 'ends the pause', { ...state, status: 'open', unchanged: 0 })];
  if ((state.status !== 'completed' && state.status !== 'dead') || state.replaysLeft === 0) return [];
  const open = { status: 'open', recordDays: 0, unchanged: 0, replaysLeft: state.replaysLeft - 1 } as const;
  return [possible('person', 'replays', { ...state, ...open })];
};

function time(rules: Rules): Actor<State> {
  return state => {
    if (state.status === 'deleted') return [];
    const isOpen = state.status === 'open' || state.status === 'waiting';
    const expires = !isOpen && state.recordDays === 1;
    const next: State = {
      ...state,
      status: expires ? 'deleted' : state.status,
      recordDays: Math.max(0, state.recordDays - 1),
      objectDays: Math.max(0, state.objectDays - 1),
      age: Math.min(rules.freshDays + LONG, state.age + 1),
      unchanged: Math.min(LONG, state.unchanged + 1),
    };
    const sees = rules.audit === 'came long ago' ? next.age >= LONG : next.unchanged >= LONG;
    const renews = isOpen && rules.audit !== 'never' && sees && next.objectDays > 0;
    const audited = { ...next, missedNights: 0, ...(renews ? { objectDays: rules.lifeDays } : {}) };
    const steps = [possible('time', 'a day passes, with its audit', audited)];
    if (state.missedNights < MISSED)
      steps.push(possible('time', 'a day passes without one', { ...next, missedNights: state.missedNights + 1 }));
    return steps;
  };
}

export const largeBodyVariants: readonly Variant[] = [
  variant('GOOD', 'large body: put anew by attempts and by the audit', 328, [], () => largeBodyModel(PROTOCOL)),
  bad('attempts put nothing anew', 450, { attempt: 'never' }),
  bad('an attempt puts after its end', 840, { attempt: 'after its end' }),
  bad('attempts put nothing for longer than the margin', 764, { freshDays: MARGIN + 1 }),
  bad('the audit puts nothing anew', 392, { audit: 'never' }),
  bad('the audit goes by the last change of the record', 421, { audit: 'unchanged for long' }),
  bad('the bucket keeps it no longer than the longest record', 198, { lifeDays: DEAD_RETENTION }),
];

function bad(name: string, states: number, rules: Partial<Rules>): Variant {
  return variant('BAD', `large body: ${name}`, states, [GONE], () => largeBodyModel({ ...PROTOCOL, ...rules }));
}
