/**
 * What the sweeper does not ask for: a source without a note of the hour had no arrivals in it. Ingest notes a source before
 * the first record that a copy of it makes in an hour. Checks the half of I8 that this may break (an open event is watched, or
 * the cursor has not passed it) and that every recorded event ends: under crashes, lost notes, two hours' edge, an old
 * release beside the new one, a rollback, a restored table, an index or a request that is slower than the grace.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from './explorer/model.ts';
import { slow, type Variant, variant } from './variants.ts';

interface Rules {
  readonly order: 'note first' | 'record first';
  /** A note that nobody knows to be written: the record is watched from the start, or made as any other. */
  readonly failedNote: 'watched' | 'goes on';
  readonly remembers: 'what is written, by hour' | 'before it is written' | 'for good';
  readonly noteOf: 'the hour of the arrival' | 'the hour of the write';
  readonly notesRead: 'consistently' | 'by an index';
  readonly readAgain: 'in each run' | 'once an hour';
  readonly looksAt: 'each hour of the range' | 'its last hour';
  readonly secondLook: 'by notes of its own' | 'by the notes of the first look';
  /** When the absence of a note begins to say something, after the sweeper has begun to go by notes. */
  readonly trusts: 'hours that begin an hour later' | 'at once';
  /** Runs that are missing: another release may have been at work, or the table is a restored one. */
  readonly afterAGap: 'begins anew' | 'goes on';
  readonly notesAreIn: 'the table of the records' | 'another table';
  /** When ingest is rolled back before the sweeper is. */
  readonly sweeperFollows: 'before the second look' | 'after it';
}

const PROTOCOL: Rules = {
  order: 'note first',
  failedNote: 'watched',
  remembers: 'what is written, by hour',
  noteOf: 'the hour of the arrival',
  notesRead: 'consistently',
  readAgain: 'in each run',
  looksAt: 'each hour of the range',
  secondLook: 'by notes of its own',
  trusts: 'hours that begin an hour later',
  afterAGap: 'begins anew',
  notesAreIn: 'the table of the records',
  sweeperFollows: 'before the second look',
};

interface Event {
  readonly request: 'not begun' | 'notes' | 'inserts' | 'notes late' | 'sends' | 'over';
  /** When its clock was read: the hour that it is listed in. */
  readonly hour: number;
  readonly by: number;
  readonly isNoted: boolean;
  readonly record: 'absent' | 'open' | 'final';
  readonly watched: boolean;
  /** The timeline index shows it. */
  readonly visible: boolean;
  readonly copy: boolean;
  /** The second look has been there, and did not ask. */
  readonly passed: boolean;
}

interface Note {
  readonly written: boolean;
  /** An index of notes would show it. */
  readonly visible: boolean;
}

interface Sweep {
  readonly upTo: number;
  readonly seen: readonly boolean[];
}

interface Stored<Kept = Event> {
  readonly events: readonly Kept[];
  readonly notes: readonly Note[];
  readonly cursor: number;
  /** The hour since which the sweeper has run without a gap, with releases that make notes; null: it never has. */
  readonly since: number | null;
}

interface Copy {
  readonly old: boolean;
  readonly knows: number;
}

interface State extends Stored {
  readonly hour: number;
  /** Copies of ingest. `knows`: the last hour that it remembers as noted; -1: none. */
  readonly copies: readonly Copy[];
  readonly isOldSweeper: boolean;
  /** Ingest is the old release again, and the sweeper not yet. */
  readonly isMixed: boolean;
  /** Since its last note of itself a sweeper that goes by notes has not run for minutes. */
  readonly gap: boolean;
  readonly sweep: Sweep | null;
  /** What the last run read of notes, and in which hour. */
  readonly read: { readonly hour: number; readonly seen: readonly boolean[] } | null;
  readonly backup: Stored<Pick<Event, 'record' | 'watched'>> | null;
  readonly crash: number;
  readonly writeError: number;
  readonly slow: number;
  readonly restore: number;
  readonly rollback: number;
  /** A rollback that reaches ingest first. */
  readonly inPieces: number;
}

type Faults = Partial<Pick<State, 'crash' | 'writeError' | 'slow' | 'restore' | 'rollback' | 'inPieces'>>;
type Begins = 'settled' | 'with an upgrade';

const NEW: Event = {
  request: 'not begun',
  hour: 0,
  by: 0,
  isNoted: false,
  record: 'absent',
  watched: false,
  visible: false,
  copy: false,
  passed: false,
};
const NO_FAULTS = { crash: 0, writeError: 0, slow: 0, restore: 0, rollback: 0, inPieces: 0 };
const NOT_COVERED = 'I8 AN OPEN EVENT IS NEITHER WATCHED NOR AHEAD OF THE CURSOR';
const STUCK = 'RECORDED BUT NEVER HANDLED';
/** Settled: its first run with notes was long before hour 0. */
const LONG_AGO = -2;

const isOpen = ({ record }: Event): boolean => record === 'open';

function activityModel(rules: Rules, faults: Faults, begins: Begins = 'settled', hours = 2, copies = 2): Model<State> {
  const upgrade = begins === 'with an upgrade';
  const start: State = {
    ...NO_FAULTS,
    ...faults,
    events: [NEW, NEW],
    notes: Array.from({ length: hours }, () => ({ written: false, visible: false })),
    cursor: 0,
    since: upgrade ? null : LONG_AGO,
    hour: 0,
    copies: Array.from({ length: copies }, () => ({ old: upgrade, knows: -1 })),
    isOldSweeper: false,
    isMixed: false,
    gap: false,
    sweep: null,
    read: null,
    backup: null,
  };
  return {
    starts: [start],
    actors: [
      time,
      deploys,
      requests(rules),
      indexes(rules),
      handling,
      sweeper(rules),
      secondLook(rules),
      disaster(rules),
    ],
    key: keyOfValues(),
    canonical,
    stopAtFirst: true,
    mustReach: [{ rule: STUCK, from: state => state.events.some(isOpen), goal: state => !state.events.some(isOpen) }],
    // What is slower than the grace, and what old ingest made beside a new sweeper, the second look must make good.
    brokenIn: state =>
      !faults.slow &&
      !faults.inPieces &&
      state.events.some((event, at) => isOpen(event) && !event.watched && state.cursor > at)
        ? NOT_COVERED
        : undefined,
    describe: state => JSON.stringify(state),
  };
}

/** Of a request that is over nobody asks which copy it was, nor what it knew; and nobody tells copies apart that are at rest. */
function canonical(state: State): State {
  const isKnown = ({ request, by, isNoted }: Event): boolean => request === 'over' && (by !== 0 || isNoted);
  const events = state.events.some(isKnown)
    ? state.events.map(event => (isKnown(event) ? { ...event, by: 0, isNoted: false } : event))
    : state.events;
  if (events.some(isUnderWay) || !state.copies.some((copy, n) => n > 0 && comesBefore(copy, state.copies[n - 1])))
    return events === state.events ? state : { ...state, events };
  const copies = state.copies.toSorted((a, b) => Number(a.old) - Number(b.old) || a.knows - b.knows);
  return { ...state, events, copies };
}

function comesBefore(copy: Copy, other: Copy | undefined): boolean {
  return other !== undefined && (Number(copy.old) - Number(other.old) || copy.knows - other.knows) < 0;
}

function changed(state: State, at: number, changes: Partial<Event>): State {
  return { ...state, events: replaceAt(state.events, at, { ...(state.events[at] ?? NEW), ...changes }) };
}

const isUnderWay = ({ request }: Event): boolean => request !== 'not begun' && request !== 'over';

/** No request and no deploy lasts longer than an hour. */
const time: Actor<State> = state => {
  const { hour, notes, events, copies, since, isOldSweeper, isMixed } = state;
  if (hour + 1 >= notes.length || isOldSweeper || isMixed) return [];
  if (events.some(event => isUnderWay(event) && event.hour < hour)) return [];
  if (copies.some(copy => copy.old) && since !== null && hour + 1 >= since + 2) return [];
  return [possible('time', `hour ${hour + 1} begins`, { ...state, hour: hour + 1 })];
};

/** An old copy gives way to a new one; and a release is taken back, and brought again. */
const deploys: Actor<State> = state => {
  const steps: Step<State>[] = state.copies.flatMap((copy, n) => {
    const atWork = state.events.some(event => isUnderWay(event) && event.by === n);
    if (!copy.old || state.isOldSweeper || state.isMixed || atWork) return [];
    const copies = replaceAt(state.copies, n, { old: false, knows: -1 });
    return [possible('deploy', `replaces copy ${n}`, { ...state, copies })];
  });
  if (state.rollback > 0 && !state.isOldSweeper && state.since !== null && !state.events.some(isUnderWay)) {
    const copies = state.copies.map(() => ({ old: true, knows: -1 }));
    const back = { ...state, copies, isOldSweeper: true, gap: true, sweep: null, rollback: state.rollback - 1 };
    steps.push(possible('person', 'rolls back', back));
  }
  if (state.inPieces > 0 && !state.isOldSweeper && state.since !== null && !state.events.some(isUnderWay)) {
    const copies = state.copies.map(() => ({ old: true, knows: -1 }));
    steps.push(possible('person', 'rolls ingest back', { ...state, copies, isMixed: true, inPieces: 0 }));
  }
  if (state.isMixed)
    steps.push(
      certain('person', 'rolls the sweeper back', {
        ...state,
        isMixed: false,
        isOldSweeper: true,
        gap: true,
        sweep: null,
      }),
    );
  if (state.isOldSweeper)
    steps.push(certain('person', 'brings the release again', { ...state, isOldSweeper: false, sweep: null }));
  return steps;
};

function requests(rules: Rules): Actor<State> {
  return state =>
    state.events.flatMap((event, at) => {
      const { request, by } = event;
      const name = `request ${at + 1}`;
      const steps: Step<State>[] = [];
      const step = (action: string, to: State): void => void steps.push(certain(name, action, to));
      const copy = state.copies[by] ?? { old: false, knows: -1 };
      const noted = rules.noteOf === 'the hour of the arrival' ? event.hour : state.hour;
      const write = (from: State): State => ({
        ...from,
        notes: replaceAt(from.notes, noted, { ...(from.notes[noted] as Note), written: true }),
      });
      const remember = (from: State): State => ({
        ...from,
        copies: replaceAt(from.copies, by, { ...copy, knows: noted }),
      });
      const knows = rules.remembers === 'for good' ? copy.knows >= 0 : copy.knows === event.hour;
      const earlier = state.events[at - 1];
      if (request === 'not begun' && earlier?.request !== 'not begun')
        for (const n of state.copies.keys()) {
          const { old } = state.copies[n] ?? copy;
          const begun = { request: old || rules.order === 'record first' ? 'inserts' : 'notes', by: n } as const;
          steps.push(possible(name, `begins at copy ${n}`, changed(state, at, { ...begun, hour: state.hour })));
        }
      if (request === 'notes' || request === 'notes late') {
        const next = request === 'notes' ? 'inserts' : 'sends';
        const goOn = (from: State, isNoted: boolean): State => changed(from, at, { request: next, isNoted });
        if (knows) step('knows the hour', goOn(state, true));
        else {
          step('notes the hour', goOn(remember(write(state)), true));
          if (state.writeError > 0) {
            const kept = rules.remembers === 'before it is written' ? remember(state) : state;
            const failed = { ...kept, writeError: state.writeError - 1 };
            steps.push(possible(name, 'cannot note it', goOn(failed, false)));
            steps.push(possible(name, 'notes it and does not know', goOn(write(failed), false)));
          }
        }
      }
      if (request === 'inserts') {
        const watched = !copy.old && rules.order === 'note first' && rules.failedNote === 'watched' && !event.isNoted;
        const next = !copy.old && rules.order === 'record first' ? 'notes late' : 'sends';
        step(watched ? 'inserts, watched' : 'inserts', changed(state, at, { request: next, record: 'open', watched }));
      }
      if (request === 'sends') step('sends', changed(state, at, { request: 'over', copy: true }));
      if (state.crash > 0 && isUnderWay(event)) {
        const dead = changed({ ...state, crash: state.crash - 1 }, at, { request: 'over' });
        const copies = replaceAt(dead.copies, by, { ...copy, knows: -1 });
        steps.push(possible(name, `dies before it ${request}`, { ...dead, copies }));
      }
      return steps;
    });
}

const indexes =
  (rules: Rules): Actor<State> =>
  state => [
    ...state.events.flatMap((event, at) =>
      event.record === 'absent' || event.visible
        ? []
        : [certain('index', `shows event ${at + 1}`, changed(state, at, { visible: true }))],
    ),
    ...state.notes.flatMap((note, hour) =>
      rules.notesRead === 'by an index' && note.written && !note.visible
        ? [
            certain('index', `shows the note of hour ${hour}`, {
              ...state,
              notes: replaceAt(state.notes, hour, { ...note, visible: true }),
            }),
          ]
        : [],
    ),
  ];

/** What is in the queue ends; what is watched and has no copy there is sent again. */
const handling: Actor<State> = state =>
  state.events.flatMap((event, at) => {
    if (!isOpen(event)) return [];
    if (event.copy)
      return [certain('processor', `ends event ${at + 1}`, changed(state, at, { record: 'final', watched: false }))];
    return event.watched ? [certain('sweeper', `sends event ${at + 1} again`, changed(state, at, { copy: true }))] : [];
  });

/** Whether the absence of a note says that nothing came in the hour. */
function isTrusted(hour: number, { since, isOldSweeper }: State, rules: Rules): boolean {
  if (isOldSweeper || since === null) return false;
  return rules.trusts === 'at once' || hour >= since + 2;
}

/** The range ends where a request is not over or its record not shown yet; then the notes are read, and the cursor moves. */
function sweeper(rules: Rules): Actor<State> {
  return state => {
    const { sweep, events, cursor, gap, since, isOldSweeper, hour } = state;
    const steps: Step<State>[] = [];
    if (sweep === null) {
      const begun = events.filter(event => event.request !== 'not begun').length;
      const first = events.findIndex(it => it.request !== 'over' || (it.record !== 'absent' && !it.visible));
      const safe = first < 0 ? begun : first;
      const anew = since === null || (gap && rules.afterAGap === 'begins anew');
      const self: State = isOldSweeper ? state : { ...state, since: anew ? hour : since, gap: false };
      const shown = state.notes.map(note => (rules.notesRead === 'by an index' ? note.visible : note.written));
      const seen = rules.readAgain === 'once an hour' && state.read?.hour === hour ? state.read.seen : shown;
      const keeps = rules.readAgain === 'once an hour' || rules.secondLook === 'by the notes of the first look';
      const from = (upTo: number): State => ({
        ...self,
        sweep: { upTo, seen },
        read: keeps ? { hour, seen } : null,
      });
      const isNews = safe > cursor || self.since !== since || self.gap !== gap;
      if (isNews) steps.push(certain('sweeper', `looks at arrivals up to ${safe}`, from(safe)));
      if (begun > Math.max(safe, cursor) && state.slow > 0)
        steps.push(
          possible('sweeper', `looks up to ${begun}, a slow one among them`, {
            ...from(begun),
            slow: state.slow - 1,
          }),
        );
      return steps;
    }
    const isAsked = (event: Event): boolean => {
      const at = rules.looksAt === 'its last hour' ? hour : event.hour;
      return !isTrusted(at, state, rules) || sweep.seen[at] === true;
    };
    const covered = events.map((event, at) =>
      at >= cursor && at < sweep.upTo && isOpen(event) && event.visible && isAsked(event)
        ? { ...event, watched: true }
        : event,
    );
    const reached = Math.max(cursor, sweep.upTo);
    steps.push(
      certain('sweeper', 'watches what is open, saves the cursor', {
        ...state,
        events: covered,
        cursor: reached,
        sweep: null,
      }),
    );
    if (state.crash > 0) steps.push(possible('sweeper', 'crashes', { ...state, sweep: null, crash: state.crash - 1 }));
    return steps;
  };
}

/** It comes when every request and every index of then is over, however late its clock was. */
function secondLook(rules: Rules): Actor<State> {
  return state => {
    const notes = state.notes.map(note => note.written);
    const seen = rules.secondLook === 'by notes of its own' ? notes : (state.read?.seen ?? notes);
    return state.events.flatMap((event, at) => {
      const isBehind =
        isOpen(event) && !event.watched && event.visible && event.request === 'over' && state.cursor > at;
      if (!isBehind || event.passed) return [];
      if (isTrusted(event.hour, state, rules) && seen[event.hour] !== true)
        return state.isMixed && rules.sweeperFollows === 'after it'
          ? [certain('second look', `passes event ${at + 1}`, changed(state, at, { passed: true }))]
          : [];
      return [certain('second look', `watches event ${at + 1}`, changed(state, at, { watched: true }))];
    });
  };
}

/** A restored table has its notes, its cursor and the sweeper's note of itself as they were; copies of ingest live on. */
function disaster(rules: Rules): Actor<State> {
  return state => {
    const { restore, backup, events, notes, cursor, since } = state;
    if (restore === 0) return [];
    if (backup === null) {
      const kept = events.map(({ record, watched }) => ({ record, watched }));
      return [possible('time', 'a backup is taken', { ...state, backup: { events: kept, notes, cursor, since } })];
    }
    const after = { ...state, sweep: null, read: null, backup: null, restore: restore - 1 };
    if (rules.notesAreIn === 'another table')
      return [possible('person', 'restores the other table', { ...after, notes: backup.notes })];
    const restored = events.map((event, at) => {
      const { record, watched } = backup.events[at] ?? NEW;
      const request = event.request === 'not begun' ? event.request : ('over' as const);
      return { ...event, request, record, watched, visible: record !== 'absent' };
    });
    const then = { notes: backup.notes, cursor: backup.cursor, since: backup.since, gap: true };
    return [possible('person', 'restores the table', { ...after, ...then, events: restored })];
  };
}

export const activityVariants: readonly Variant[] = [
  good('crash, lost note', 14_231, { crash: 1, writeError: 1 }),
  good('two crashes', 6_171, { crash: 2 }),
  good('a request or an index slower than the grace, crash', 20_118, { slow: 1, crash: 1 }),
  good('an old release beside the new one, crash', 113_894, { crash: 1 }, 'with an upgrade', 3),
  good('rolled back and brought again, crash', 133_231, { rollback: 1, crash: 1 }, 'settled', 3),
  good(
    'old ingest beside the new sweeper, then rolled back too, crash',
    144_582,
    { inPieces: 1, crash: 1 },
    'settled',
    3,
  ),
  slow(good('restored table, crash', 142_441, { restore: 1, crash: 1 }, 'settled', 3)),
  good('restored table', 56_331, { restore: 1 }, 'settled', 3),
  bad('the note after the record', 464, NOT_COVERED, { crash: 1 }, { order: 'record first' }),
  bad('a lost note, and the record is not watched', 995, NOT_COVERED, { writeError: 1 }, { failedNote: 'goes on' }),
  bad('remembered before it is written', 3_840, NOT_COVERED, { writeError: 1 }, { remembers: 'before it is written' }),
  bad('remembered for good', 969, NOT_COVERED, {}, { remembers: 'for good' }),
  bad("noted in the write's hour", 660, NOT_COVERED, {}, { noteOf: 'the hour of the write' }),
  bad('notes read by an index, which is late', 557, NOT_COVERED, {}, { notesRead: 'by an index' }),
  bad('notes read once an hour', 1_795, NOT_COVERED, {}, { readAgain: 'once an hour' }),
  bad('the notes of one hour for a range over two', 497, NOT_COVERED, {}, { looksAt: 'its last hour' }),
  bad(
    'a late clock; the second look goes by what the first one read',
    31_699,
    STUCK,
    { slow: 1, crash: 1 },
    { secondLook: 'by the notes of the first look' },
  ),
  bad('an old release beside the new one, notes trusted at once', 1_271, NOT_COVERED, {}, { trusts: 'at once' }, [
    'with an upgrade',
    2,
  ]),
  bad(
    'rolled back and brought again, and no gap is seen',
    1_437,
    NOT_COVERED,
    { rollback: 1 },
    { afterAGap: 'goes on' },
  ),
  bad('restored table, and no gap is seen', 9_689, NOT_COVERED, { restore: 1 }, { afterAGap: 'goes on' }),
  bad(
    'old ingest beside the new sweeper for longer than the second look waits',
    65_034,
    STUCK,
    { inPieces: 1, crash: 1 },
    { sweeperFollows: 'after it' },
  ),
  bad('notes in another table, restored', 3_847, NOT_COVERED, { restore: 1 }, { notesAreIn: 'another table' }),
];

function good(name: string, states: number, faults: Faults, begins: Begins = 'settled', hours = 2): Variant {
  return variant('GOOD', `activity: ${name}`, states, [], () => activityModel(PROTOCOL, faults, begins, hours));
}

function bad(
  name: string,
  states: number,
  breaks: string,
  faults: Faults,
  rules: Partial<Rules>,
  [begins, hours]: readonly [Begins, number] = ['settled', 2],
): Variant {
  return variant('BAD', `activity: ${name}`, states, [breaks], () =>
    activityModel({ ...PROTOCOL, ...rules }, faults, begins, hours),
  );
}
