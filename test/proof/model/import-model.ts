/**
 * An event moves to another environment by export and import, while the old one may still run it. Checks that its effect
 * happens once over both, that nothing runs in the new one before a person resumes it, that an import may be cut off and
 * repeated, and that what was resumed ends.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

interface Rules {
  /** What an unfinished event becomes. */
  readonly unfinished: 'parked, behind a pause' | 'parked, without a pause' | 'pending';
  /** Between the pause and the first record: runs of the sweeper that know nothing of the pause must be over. */
  readonly waits: boolean;
  /** An event that is there already, waiting, and that the file calls finished. */
  readonly endedSince: 'is finished here, too' | 'waits on';
  /** An event that is there already, and that has moved on. */
  readonly there: 'is left alone' | 'is written over';
  /** When a person resumes. */
  readonly resumes: 'after the old one stopped and the last import' | 'after the old one stopped' | 'at once';
  /** When the provider sends to the new environment. */
  readonly provider: 'after the import' | 'before it';
}

const PROTOCOL: Rules = {
  unfinished: 'parked, behind a pause',
  waits: true,
  endedSince: 'is finished here, too',
  there: 'is left alone',
  resumes: 'after the old one stopped and the last import',
  provider: 'after the import',
};

interface State {
  readonly old: 'open' | 'running' | 'done';
  readonly stopped: boolean;
  /** The newest file, and whether it was made after the stop. */
  readonly file: 'none' | 'open' | 'done';
  readonly fileIsLast: boolean;
  readonly lastImported: boolean;
  readonly exportsLeft: number;
  readonly record: 'none' | 'pending' | 'parked' | 'sent' | 'done';
  readonly message: boolean;
  /** `fresh`: functions may not know of it yet. */
  readonly pause: 'none' | 'fresh' | 'known';
  readonly resumed: boolean;
  readonly importer: 'idle' | 'may write';
  readonly crashesLeft: number;
  /** What a run of the sweeper at work has read of the pause. */
  readonly sweeper: 'idle' | 'saw none' | 'saw it';
  readonly repeatsLeft: number;
  /** Ghosts: effects in both environments. */
  readonly effects: number;
}

const START: State = {
  old: 'open',
  stopped: false,
  file: 'none',
  fileIsLast: false,
  lastImported: false,
  exportsLeft: 2,
  record: 'none',
  message: false,
  pause: 'none',
  resumed: false,
  importer: 'idle',
  crashesLeft: 1,
  sweeper: 'idle',
  repeatsLeft: 1,
  effects: 0,
};

const TWICE = 'I5 EFFECT IN BOTH ENVIRONMENTS';
const EARLY = 'RAN BEFORE A PERSON RESUMED IT';
const UNDONE = 'I4 A TERMINAL EVENT WAS UNDONE';
const LOST = 'I2 RESUMED AND NEVER ENDED';

function importModel(rules: Rules): Model<State> {
  return {
    starts: [START],
    actors: [oldOne, person(rules), importer(rules), sweeper, processor, provider(rules), time],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: LOST, from: state => state.resumed && state.record !== 'none', goal: isEnded }],
    brokenIn: state => (state.effects > 1 ? TWICE : undefined),
    brokenBy: (from, to, action) => {
      if (from.record === 'done' && to.record !== 'done') return UNDONE;
      // What the provider itself brought may run: the new environment knows nothing of another.
      return action === 'runs' && !from.resumed && rules.provider === 'after the import' ? EARLY : undefined;
    },
    describe: state => JSON.stringify(state),
  };
}

const isEnded = ({ record }: State): boolean => record === 'done';
const more = (effects: number): number => Math.min(2, effects + 1);

const oldOne: Actor<State> = state => {
  if (state.old === 'running')
    return [certain('old', 'finishes', { ...state, old: 'done', effects: more(state.effects) })];
  if (state.old === 'open' && !state.stopped) return [possible('old', 'claims', { ...state, old: 'running' })];
  return [];
};

function person(rules: Rules): Actor<State> {
  return state => {
    const steps: Step<State>[] = [];
    const { old, stopped, exportsLeft } = state;
    // A lease that is over, or an attempt that ended: nothing runs there any more.
    if (!stopped && old !== 'running') steps.push(possible('person', 'stops the old one', { ...state, stopped: true }));
    if (exportsLeft > 0) {
      const file = old === 'done' ? 'done' : 'open';
      const made = { file, fileIsLast: stopped, exportsLeft: exportsLeft - 1 } as const;
      steps.push(possible('person', 'exports', { ...state, ...made, importer: 'idle' }));
    }
    const may = {
      'after the old one stopped and the last import': stopped && state.lastImported,
      'after the old one stopped': stopped,
      'at once': true,
    }[rules.resumes];
    if (may && !state.resumed && state.pause !== 'none')
      steps.push(possible('person', 'resumes', { ...state, resumed: true, pause: 'none' }));
    return steps;
  };
}

function importer(rules: Rules): Actor<State> {
  return state => {
    const { file, record, pause } = state;
    if (file === 'none') return [];
    const over = (to: Partial<State>): State => ({
      ...state,
      importer: 'idle',
      lastImported: state.lastImported || state.fileIsLast,
      ...to,
    });
    if (state.importer === 'idle') {
      if (record !== 'none') return meet(rules, state, over);
      if (file === 'done') return [possible('import', 'writes the finished event', over({ record: 'done' }))];
      const pauses = rules.unfinished === 'parked, behind a pause' && pause === 'none';
      return [
        possible('import', pauses ? 'pauses the source' : 'begins', {
          ...state,
          pause: pauses ? 'fresh' : pause,
          importer: 'may write',
        }),
      ];
    }
    const steps: Step<State>[] = [];
    if (state.crashesLeft > 0)
      steps.push(possible('import', 'is cut off', { ...state, importer: 'idle', crashesLeft: state.crashesLeft - 1 }));
    if (record !== 'none') return [...steps, possible('import', 'finds it there', { ...state, importer: 'idle' })];
    if (rules.waits && pause === 'fresh') return steps;
    // Somebody has resumed the source since: the pause is written again first.
    if (rules.unfinished === 'parked, behind a pause' && pause === 'none')
      return [...steps, possible('import', 'begins again', { ...state, importer: 'idle' })];
    const arrives = rules.unfinished === 'pending' ? 'pending' : 'parked';
    return [...steps, possible('import', 'writes the unfinished event', over({ record: arrives }))];
  };
}

/** It is there already: from an earlier import, or because the provider brought it. */
function meet(rules: Rules, state: State, over: (to: Partial<State>) => State): readonly Step<State>[] {
  const { file, record } = state;
  if (rules.there === 'is written over')
    return [possible('import', 'writes over it', over({ record: file === 'done' ? 'done' : 'parked' }))];
  if (file === 'done' && record === 'parked' && rules.endedSince === 'is finished here, too')
    return [possible('import', 'finishes what ended in the old one', over({ record: 'done' }))];
  return [possible('import', 'leaves it alone', over({}))];
}

/** A run reads the pauses once, at its begin. */
const sweeper: Actor<State> = state => {
  if (state.sweeper === 'idle')
    return [certain('sweeper', 'begins', { ...state, sweeper: state.pause === 'none' ? 'saw none' : 'saw it' })];
  const ended: State = { ...state, sweeper: 'idle' };
  const sends = state.record === 'pending' || (state.record === 'parked' && state.sweeper === 'saw none');
  if (!sends) return [certain('sweeper', 'ends', ended)];
  return [certain('sweeper', 'sends it', { ...ended, record: 'sent', message: true })];
};

const processor: Actor<State> = state => {
  const { message, record, pause } = state;
  if (!message) return [];
  const taken: State = { ...state, message: false };
  if (record !== 'sent') return [certain('processor', 'deletes a copy', taken)];
  const runs: Step<State> = certain('processor', 'runs', { ...taken, record: 'done', effects: more(state.effects) });
  if (pause === 'none') return [runs];
  const parks: Step<State> = certain('processor', 'parks', { ...taken, record: 'parked' });
  return pause === 'fresh' ? [parks, { ...runs, fair: false }] : [parks];
};

function provider(rules: Rules): Actor<State> {
  return state => {
    const { record, repeatsLeft } = state;
    if (repeatsLeft === 0 || (rules.provider === 'after the import' && record === 'none')) return [];
    const sent: State = { ...state, repeatsLeft: repeatsLeft - 1 };
    if (record !== 'none') return [possible('provider', 'repeats: a duplicate', sent)];
    return [possible('provider', 'repeats: recorded', { ...sent, record: 'sent', message: true })];
  };
}

/** Caches are over, and so are runs of the sweeper that began before the pause. */
const time: Actor<State> = state =>
  state.pause === 'fresh' && state.sweeper !== 'saw none'
    ? [certain('time', 'everybody knows of the pause', { ...state, pause: 'known' })]
    : [];

export const importVariants: readonly Variant[] = [
  variant('GOOD', 'export and import, twice, beside an old environment that runs', 570, [], () =>
    importModel(PROTOCOL),
  ),
  bad('an unfinished event arrives without a pause', 172, EARLY, { unfinished: 'parked, without a pause' }),
  bad('an unfinished event arrives as pending', 172, EARLY, { unfinished: 'pending' }),
  bad('it is written before everybody knows of the pause', 312, EARLY, { waits: false }),
  bad('a second import leaves what ended since waiting', 586, TWICE, { endedSince: 'waits on' }),
  bad('a second import writes over what is there', 534, UNDONE, { there: 'is written over' }),
  bad('resumed beside an old environment that runs', 1111, TWICE, { resumes: 'at once' }),
  bad('resumed after the stop, without a last export', 867, TWICE, { resumes: 'after the old one stopped' }),
  bad('the provider sends to the new environment first', 63, TWICE, { provider: 'before it' }),
];

function bad(name: string, states: number, breaks: string, rules: Partial<Rules>): Variant {
  return variant('BAD', name, states, [breaks], () => importModel({ ...PROTOCOL, ...rules }));
}
