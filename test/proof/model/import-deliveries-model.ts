/**
 * A message and its delivery to one endpoint move to another environment by export and import, while the old one may still
 * send it. Checks that it is sent once over both (but for what a crash repeats anywhere), that nothing is sent because of an
 * import, that what ended stays so, and that what was resumed ends. Beside the import, the new environment's own repairs run,
 * and the producer repeats what it published.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

interface Rules {
  /** Beside the record: what the transaction asks of the endpoint. */
  readonly gate: 'must be closed' | 'is not asked';
  /** The record's condition. */
  readonly record: 'is as it was read' | 'is not asked';
  /** A delivery that ended in the old environment. */
  readonly ended: 'comes as history' | 'is left out';
  /** One that waits here since an earlier import, and that the file calls ended. */
  readonly endedSince: 'ends here, too' | 'waits on';
  /** One that ended here since, and that the old environment replayed. */
  readonly replayedSince: 'waits here' | 'is left alone';
  readonly message: 'comes' | 'is left out';
  /** Of a delivery that waits. */
  readonly row: 'comes with the record' | 'is left to the repairs';
  readonly resumes: 'after the old one stopped and the last import' | 'after the old one stopped' | 'at once';
}

const PROTOCOL: Rules = {
  gate: 'must be closed',
  record: 'is as it was read',
  ended: 'comes as history',
  endedSince: 'ends here, too',
  replayedSince: 'waits here',
  message: 'comes',
  row: 'comes with the record',
  resumes: 'after the old one stopped and the last import',
};

/** A generation and whether it is over; 0: there is no record. */
interface Seen {
  readonly gen: 0 | 1 | 2;
  readonly over: boolean;
}
const NONE: Seen = { gen: 0, over: false };
type Read = Seen & { readonly file: Seen; readonly isLast: boolean; readonly row: 0 | 1 | 2 };

interface State {
  readonly old: Seen & { readonly sending: boolean };
  readonly stopped: boolean;
  /** The newest file: what it says of the delivery, and whether it was made after the stop. */
  readonly file: Seen | undefined;
  readonly fileIsLast: boolean;
  readonly lastImported: boolean;
  readonly exportsLeft: number;
  /** In the new one. */
  readonly message: boolean;
  readonly record: Seen;
  /** The generation that a row points to; 0: none. */
  readonly row: 0 | 1 | 2;
  readonly open: boolean;
  /** What each of two runs has read, between its reading and its write: of one that was cut off, a write may come late. */
  readonly reads: readonly [(Read | undefined)?, (Read | undefined)?];
  /** A session that has read the record, and is asking. */
  readonly sending: 0 | 1 | 2;
  readonly repeatsLeft: number;
  /** Ghosts: requests of each generation over both, and whether the import put a row at an open gate. */
  readonly sent: readonly [number, number];
  readonly pushed: boolean;
}

const START: State = {
  old: { gen: 1, over: false, sending: false },
  stopped: false,
  file: undefined,
  fileIsLast: false,
  lastImported: false,
  exportsLeft: 2,
  message: false,
  record: NONE,
  row: 0,
  open: false,
  reads: [],
  sending: 0,
  repeatsLeft: 1,
  sent: [0, 0],
  pushed: false,
};

const TWICE = 'SENT BY BOTH ENVIRONMENTS';
const PUSHED = 'SENT BECAUSE OF AN IMPORT';
const UNDONE = 'A DELIVERY THAT ENDED WAS OPENED';
const LOST = 'RESUMED AND NEVER ENDED';

function deliveriesModel(rules: Rules): Model<State> {
  return {
    starts: [START],
    actors: [oldOne, person(rules), importer(rules, 0), importer(rules, 1), reconcile, producer, session],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: LOST, from: ({ open, message }) => open && message, goal: isEnded }],
    brokenIn: ({ sent, pushed }) => (sent.some(times => times > 1) ? TWICE : pushed ? PUSHED : undefined),
    brokenBy: ({ record }, { record: after }) =>
      record.over && !after.over && after.gen <= record.gen ? UNDONE : undefined,
    describe: state => JSON.stringify(state),
  };
}

/** The newest generation that anybody asked for is over here, or was in the old one when it stopped. */
const isEnded = ({ record, row, message, old, stopped }: State): boolean =>
  message && row === 0 && record.over && (!stopped || record.gen >= old.gen);

function sentOnce(sent: State['sent'], gen: number): State['sent'] {
  const more = (at: number): number => Math.min(2, (sent[at] ?? 0) + (gen === at + 1 ? 1 : 0));
  return [more(0), more(1)];
}

/** Sends, and records it; a person may replay what ended. */
const oldOne: Actor<State> = state => {
  const { old, stopped, sent } = state;
  if (old.sending)
    return [
      certain('old', 'records it', {
        ...state,
        old: { ...old, over: true, sending: false },
        sent: sentOnce(sent, old.gen),
      }),
    ];
  if (stopped) return [];
  if (!old.over) return [possible('old', 'sends', { ...state, old: { ...old, sending: true } })];
  return old.gen === 1
    ? [possible('old', 'is asked for a replay', { ...state, old: { ...old, gen: 2, over: false } })]
    : [];
};

function person(rules: Rules): Actor<State> {
  return state => {
    const steps: Step<State>[] = [];
    const { old, stopped, exportsLeft } = state;
    // Its gates are closed, and what was on its way is written down.
    if (!stopped && !old.sending) steps.push(possible('person', 'stops the old one', { ...state, stopped: true }));
    if (exportsLeft > 0) {
      const file = { gen: old.gen, over: old.over };
      steps.push(
        possible('person', 'exports', {
          ...state,
          ...{ file, fileIsLast: stopped, exportsLeft: exportsLeft - 1 },
        }),
      );
    }
    const may = {
      'after the old one stopped and the last import': stopped && state.lastImported,
      'after the old one stopped': stopped,
      'at once': true,
    }[rules.resumes];
    if (may && !state.open) steps.push(possible('person', 'resumes', { ...state, open: true }));
    return steps;
  };
}

/** Message first, then what is read is written; it may be cut off between any two steps, and begins again. */
function importer(rules: Rules, run: 0 | 1): Actor<State> {
  return state => {
    const { file, message, record, row, reads, open } = state;
    const read = reads[run];
    const reading = (now: Read | undefined): State => ({
      ...state,
      reads: run === 0 ? [now, reads[1]] : [reads[0], now],
    });
    if (read === undefined) {
      if (file === undefined) return [];
      if (rules.message === 'is left out')
        return [
          possible('import', 'leaves it out', { ...state, lastImported: state.lastImported || state.fileIsLast }),
        ];
      if (!message) return [possible('import', 'puts the message', { ...state, message: true })];
      const now = { ...record, row, file, isLast: state.fileIsLast };
      return [possible('import', 'reads the record', reading(now))];
    }
    const over: State = { ...reading(undefined), lastImported: state.lastImported || read.isLast };
    const cut = possible('import', 'is cut off', reading(undefined));
    if (!isWanted(rules, read)) return [cut, possible('import', 'leaves it alone', over)];
    const asRead = record.gen === read.gen && record.over === read.over;
    if (rules.record === 'is as it was read' && !asRead) return [cut];
    if (read.file.over)
      return rules.ended === 'is left out'
        ? [cut, possible('import', 'leaves it out', over)]
        : [cut, possible('import', 'puts what ended', { ...over, record: read.file })];
    if (open && rules.gate === 'must be closed') return [cut, possible('import', 'is refused', over)];
    // The first generation that nobody has tried has no record.
    const { gen } = read.file;
    const put: State = { ...over, record: gen === 1 ? NONE : read.file, ...rowOf(rules, gen, row), pushed: open };
    return [cut, possible('import', 'puts what waits', put)];
  };
}

const rowOf = (rules: Rules, gen: Seen['gen'], row: State['row']): Pick<State, 'row'> => ({
  row: rules.row === 'comes with the record' ? gen : row,
});

function isWanted(rules: Rules, { file, ...read }: Read): boolean {
  if (read.gen === 0 && read.row === 0) return true;
  const here = read.gen === 0 ? 1 : read.gen;
  if (file.gen > here) return file.over || rules.replayedSince === 'waits here';
  return file.gen === here && file.over && !read.over && rules.endedSince === 'ends here, too';
}

/** A message with neither row nor record: its endpoint matched it. */
const reconcile: Actor<State> = state => {
  const { message, record, row, sending } = state;
  if (!message || record.gen !== 0 || row !== 0 || sending !== 0) return [];
  return [certain('reconcile', 'puts a row', { ...state, row: 1 })];
};

/** The first answer was lost, or so it thinks. */
const producer: Actor<State> = state => {
  const { message, row, repeatsLeft, lastImported } = state;
  if (repeatsLeft === 0 || !lastImported) return [];
  const repeated: State = { ...state, repeatsLeft: repeatsLeft - 1 };
  // W2 has no condition. It lies beside another row, which the model has in its place.
  if (message) return [possible('producer', 'repeats: a duplicate', row === 0 ? { ...repeated, row: 1 } : repeated)];
  return [possible('producer', 'repeats: published', { ...repeated, message: true, row: 1 })];
};

const session: Actor<State> = state => {
  const { open, row, record, sending, sent } = state;
  if (sending !== 0) {
    const done: State = { ...state, sending: 0, row: row === sending ? 0 : row, sent: sentOnce(sent, sending) };
    const mine = record.gen === 0 ? sending === 1 : record.gen === sending && !record.over;
    return [certain('session', 'records it', mine ? { ...done, record: { gen: sending, over: true } } : done)];
  }
  if (!open || row === 0) return [];
  const owes = record.gen === 0 ? row === 1 : record.gen === row && !record.over;
  return owes
    ? [certain('session', 'sends', { ...state, sending: row })]
    : [certain('session', 'deletes the row', { ...state, row: 0 })];
};

export const importDeliveriesVariants: readonly Variant[] = [
  variant('GOOD', 'deliveries: export and import, twice, beside an old one that sends', 5470, [], () =>
    deliveriesModel(PROTOCOL),
  ),
  bad('what ended is left out, and reconcile sends it', 1797, TWICE, { ended: 'is left out' }),
  bad('all of it is left out, and the producer repeats a message', 102, TWICE, { message: 'is left out' }),
  bad('a second import leaves what ended since waiting', 2226, TWICE, { endedSince: 'waits on' }),
  bad('a second import leaves what was replayed since', 2919, TWICE, { replayedSince: 'is left alone' }),
  bad('a record is written over, whatever it became', 1150, UNDONE, { record: 'is not asked' }),
  bad('a record comes without its row', 5389, LOST, { row: 'is left to the repairs' }),
  bad('a row is put at an open gate', 247, PUSHED, { gate: 'is not asked', resumes: 'after the old one stopped' }),
  bad('resumed beside an old one that sends', 1002, TWICE, { resumes: 'at once' }),
  bad('resumed after the stop, without a last export', 1172, TWICE, { resumes: 'after the old one stopped' }),
];

function bad(name: string, states: number, breaks: string, rules: Partial<Rules>): Variant {
  return variant('BAD', `deliveries: ${name}`, states, [breaks], () => deliveriesModel({ ...PROTOCOL, ...rules }));
}
