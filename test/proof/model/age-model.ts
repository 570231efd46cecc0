/**
 * Old requests and old copies, once the record may have expired: nobody can tell a new event from a forgotten one by its
 * key any more. A genuine delivery of today runs, whatever date it carries; a captured request and a copy older than the
 * window never run a second time by themselves; and what is not run ends where a person sees it.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

interface Rules {
  /** What decides that a request is too old to run: see "The age rule" in docs/understand/how-receiving-works.md. */
  readonly requestAge: 'event time, where nothing signed is fresh' | 'event time, always' | 'nothing';
  /** A time of the object (an order's creation) counts as the event's. */
  readonly objectTimeCounts: boolean;
  /** A copy without a record, from before the window. */
  readonly oldCopy: 'ends visibly' | 'runs' | 'is deleted';
}

const PROTOCOL: Rules = {
  requestAge: 'event time, where nothing signed is fresh',
  objectTimeCounts: false,
  oldCopy: 'ends visibly',
};

interface State {
  /** The provider signs a time with each request: one that is old is refused before anything else. */
  readonly signsTime: boolean;
  /** The date in the body: of the event, or of an object made long before it. */
  readonly date: 'of the event' | 'of the object';
  /** The sender's work: it sends once; what it sent may be sent again by somebody else, or lie about as a copy. */
  readonly sent: boolean;
  readonly captured: boolean;
  readonly copy: 'none' | 'fresh' | 'old';
  readonly record: 'none' | 'pending' | 'done' | 'skipped' | 'gone';
  readonly windowOver: boolean;
  readonly effects: number;
  /** Accepted, and neither run nor shown to anybody. */
  readonly owed: boolean;
  readonly replays: number;
}

const TWICE = 'I5 RUN AGAIN BY AN OLD REQUEST OR COPY';
const LOST = 'I2 ACCEPTED AND NEVER ENDED';
const REFUSED_TODAY = 'A GENUINE DELIVERY OF TODAY WAS NOT RUN';

function ageModel(rules: Rules, signsTimes: readonly boolean[] = [true, false]): Model<State> {
  const starts = signsTimes.flatMap(signsTime =>
    (['of the event', 'of the object'] as const).map(
      (date): State => ({
        signsTime,
        date,
        sent: false,
        captured: false,
        copy: 'none',
        record: 'none',
        windowOver: false,
        effects: 0,
        owed: false,
        replays: 1,
      }),
    ),
  );
  return {
    starts,
    actors: [sender(rules), stranger(rules), processor(rules), person, time],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: LOST, from: state => state.owed, goal: state => !state.owed }],
    // Where nothing signed is fresh and the date is the object's, an old request is what nobody can tell: the threat model
    // says so.
    brokenIn: state => (state.effects > 1 && (state.signsTime || state.date === 'of the event') ? TWICE : undefined),
    brokenBy: (from, to) => (!from.sent && to.sent && to.record === 'skipped' ? REFUSED_TODAY : undefined),
    describe: state => JSON.stringify(state),
  };
}

/** By its date alone: of the object it is always old, of the event once the window is over. */
const looksOld = (rules: Rules, { date, windowOver }: State): boolean =>
  date === 'of the object' ? rules.objectTimeCounts : windowOver;

/** What ingest makes of a request. `today`: the provider made it now, so a time in its signature is fresh. */
function receive(rules: Rules, state: State, today: boolean): State | undefined {
  if (state.signsTime && !today) return state.windowOver ? undefined : { ...state };
  if (state.record !== 'none' && state.record !== 'gone') return state;
  const judged =
    rules.requestAge === 'event time, always' ||
    (rules.requestAge === 'event time, where nothing signed is fresh' && !state.signsTime);
  if (judged && looksOld(rules, state)) return { ...state, record: 'skipped', owed: false };
  return { ...state, record: 'pending', copy: 'fresh', owed: true };
}

function sender(rules: Rules): Actor<State> {
  return state => {
    if (state.sent) return [];
    const received = receive(rules, state, true);
    const steps: Step<State>[] = [];
    if (received)
      steps.push(possible('provider', 'delivers, somebody takes a copy', { ...received, sent: true, captured: true }));
    // The table is down: the message alone has the event.
    steps.push(
      possible('provider', 'delivers, nothing can be recorded', { ...state, sent: true, copy: 'fresh', owed: true }),
    );
    return steps;
  };
}

function stranger(rules: Rules): Actor<State> {
  return state => {
    if (!state.captured) return [];
    const received = receive(rules, state, false);
    return received ? [possible('stranger', 'sends a captured request', received)] : [];
  };
}

function processor(rules: Rules): Actor<State> {
  return state => {
    const { copy, record } = state;
    if (copy === 'none') return [];
    const step = (action: string, changes: Partial<State>): Step<State> =>
      certain('processor', action, { ...state, copy: 'none', ...changes });
    const runs = { record: 'done' as const, effects: Math.min(2, state.effects + 1), owed: false };
    if (record === 'pending') return [step('runs', runs)];
    if (record === 'done' || record === 'skipped') return [step('deletes a copy', {})];
    if (copy === 'fresh') return [step('records and runs', runs)];
    if (rules.oldCopy === 'ends visibly')
      return [step('ends an old copy where it is seen', { record: 'skipped', owed: false })];
    return [rules.oldCopy === 'runs' ? step('runs an old copy', runs) : step('deletes an old copy', {})];
  };
}

/** A person's wish is a run of its own. */
const person: Actor<State> = state =>
  state.record === 'skipped' && state.replays > 0
    ? [
        possible('person', 'replays', {
          ...state,
          record: 'pending',
          copy: 'fresh',
          owed: true,
          replays: 0,
          effects: 0,
        }),
      ]
    : [];

const time: Actor<State> = state => {
  const steps: Step<State>[] = [];
  const { record, windowOver, copy } = state;
  if (state.sent && !windowOver)
    steps.push(
      possible('time', 'the window is over', { ...state, windowOver: true, copy: copy === 'none' ? copy : 'old' }),
    );
  if (windowOver && (record === 'done' || record === 'skipped'))
    steps.push(possible('DynamoDB', 'deletes the expired record', { ...state, record: 'gone' }));
  // Redriven by hand from a queue of fourteen days, or brought back with one.
  if (state.effects > 0 && copy === 'none')
    steps.push(possible('person', 'brings an old copy back', { ...state, copy: windowOver ? 'old' : 'fresh' }));
  return steps;
};

export const ageVariants: readonly Variant[] = [
  variant('GOOD', 'age: old requests and old copies', 164, [], () => ageModel(PROTOCOL)),
  bad('the event time decides although the signature is fresh', 7, REFUSED_TODAY, {
    requestAge: 'event time, always',
    objectTimeCounts: true,
  }),
  bad('a time of the object counts as the event time', 11, REFUSED_TODAY, { objectTimeCounts: true }),
  bad('no age rule', 95, TWICE, { requestAge: 'nothing' }),
  bad('an old copy without a record runs', 71, TWICE, { oldCopy: 'runs' }),
  bad('an old copy without a record is deleted', 87, LOST, { oldCopy: 'is deleted' }),
];

function bad(name: string, states: number, breaks: string, rules: Partial<Rules>): Variant {
  return variant('BAD', `age: ${name}`, states, [breaks], () => ageModel({ ...PROTOCOL, ...rules }));
}
