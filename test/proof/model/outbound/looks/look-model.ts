/**
 * The hours of the endpoint check: which endpoints it need not ask for their first row, because nobody noted their
 * application. Whoever puts a row makes the note once an hour, and remembers it; each wake-up here is lost, so that only a
 * look or a walk over all endpoints can find the row (O2). Under crashes, failed notes, looks that are cut off, an old release
 * beside the new one, a rollback, restored tables, and a wake-up that was lost hours after its row was put.
 */

import { keyOfValues } from '#test/proof/model/explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import { slow, type Variant, variant } from '#test/proof/model/variants.ts';

interface Rules {
  readonly remembers: 'what is written, by hour' | 'before it is written' | 'for good';
  readonly failedNote: 'the row is not put' | 'the row is put';
  /** The first hour whose notes a look goes by; the last one is its own. */
  readonly from: 'before the last finished look' | 'of the last finished look' | 'its own';
  /** A look that was cut off goes on, or counts as finished. */
  readonly cutOff: 'goes on' | 'counts';
  /** From when on looks by notes are enough. */
  readonly trusts: 'a walk that began an hour later' | 'the first walk' | 'at once';
  /** Runs that are missing: another release may have been at work, or the tables are restored ones. */
  readonly afterAGap: 'begins anew' | 'goes on';
  /** A walk now and then, whatever the notes say. */
  readonly walks: boolean;
}

const PROTOCOL: Rules = {
  remembers: 'what is written, by hour',
  failedNote: 'the row is not put',
  from: 'before the last finished look',
  cutOff: 'goes on',
  trusts: 'a walk that began an hour later',
  afterAGap: 'begins anew',
  walks: false,
};

interface Put {
  readonly step: 'not begun' | 'notes' | 'puts' | 'over';
  /** When its clock was read. */
  readonly hour: number;
  readonly by: number;
  /** `woken`: its wake-up is under way. */
  readonly row: 'none' | 'woken' | 'waits' | 'found';
}

interface Stored<Kept = Put> {
  readonly puts: readonly Kept[];
  readonly notes: readonly boolean[];
  /** Since when tend has run without a gap, with releases that make notes; null: it never has. */
  readonly since: number | null;
  /** When the last look, and the last walk, began that came to its end. */
  readonly looked: number;
  readonly walked: number | null;
}

interface Look {
  readonly began: number;
  readonly walk: boolean;
  readonly sees: readonly boolean[];
}

interface State extends Stored {
  readonly hour: number;
  /** Copies of the functions that put rows. `knows`: the last hour that it remembers as noted; -1: none. */
  readonly copies: readonly { readonly old: boolean; readonly knows: number }[];
  readonly isOldTend: boolean;
  readonly gap: boolean;
  readonly look: Look | null;
  readonly backup: Stored<Pick<Put, 'row'>> | null;
  readonly crash: number;
  readonly writeError: number;
  readonly cut: number;
  readonly late: number;
  readonly restore: number;
  readonly rollback: number;
}

type Faults = Partial<Pick<State, 'crash' | 'writeError' | 'cut' | 'late' | 'restore' | 'rollback'>>;
type Begins = 'settled' | 'with an upgrade';

const NEW: Put = { step: 'not begun', hour: 0, by: 0, row: 'none' };
const NO_FAULTS = { crash: 0, writeError: 0, cut: 0, late: 0, restore: 0, rollback: 0 };
const NOT_FOUND = 'O2 A ROW WHOSE WAKE-UP WAS LOST IS NEVER FOUND';
/** Settled: the first run with notes was long before hour 0. */
const LONG_AGO = -3;

function lookModel(rules: Rules, faults: Faults, begins: Begins, hours: number): Model<State> {
  const upgrade = begins === 'with an upgrade';
  const start: State = {
    ...NO_FAULTS,
    ...faults,
    puts: [NEW, NEW],
    notes: Array.from({ length: hours }, () => false),
    since: upgrade ? null : LONG_AGO,
    looked: 0,
    walked: upgrade ? null : -1,
    hour: 0,
    copies: [0, 1].map(() => ({ old: upgrade, knows: -1 })),
    isOldTend: false,
    gap: false,
    look: null,
    backup: null,
  };
  const isMissing = ({ row }: Put): boolean => row === 'waits';
  return {
    starts: [start],
    actors: [time, deploys, puts(rules), tend(rules), disaster],
    key: keyOfValues(),
    canonical,
    stopAtFirst: true,
    mustReach: [
      { rule: NOT_FOUND, from: state => state.puts.some(isMissing), goal: state => !state.puts.some(isMissing) },
    ],
    brokenIn: () => undefined,
    describe: state => JSON.stringify(state),
  };
}

/** Of a put that is over nobody asks which copy it was; and nobody tells copies apart that are at rest. */
function canonical(state: State): State {
  const all = state.puts.map(put => (put.step === 'over' ? { ...put, by: 0 } : put));
  if (all.some(isUnderWay)) return { ...state, puts: all };
  const copies = state.copies.toSorted((a, b) => Number(a.old) - Number(b.old) || a.knows - b.knows);
  return { ...state, puts: all, copies };
}

const isUnderWay = ({ step }: Put): boolean => step === 'notes' || step === 'puts';
const changed = (state: State, at: number, changes: Partial<Put>): State => ({
  ...state,
  puts: replaceAt(state.puts, at, { ...(state.puts[at] ?? NEW), ...changes }),
});

/** No call and no deploy lasts longer than an hour. */
const time: Actor<State> = state => {
  const { hour, notes, copies, since, isOldTend } = state;
  if (hour + 1 >= notes.length || isOldTend) return [];
  if (state.puts.some(put => isUnderWay(put) && put.hour < hour)) return [];
  if (copies.some(copy => copy.old) && since !== null && hour + 1 >= since + 2) return [];
  return [possible('time', `hour ${hour + 1} begins`, { ...state, hour: hour + 1 })];
};

/** An old copy gives way to a new one; and a release is taken back, and brought again. */
const deploys: Actor<State> = state => {
  const quiet = !state.puts.some(isUnderWay);
  const steps: Step<State>[] = state.copies.flatMap((copy, n) => {
    const atWork = state.puts.some(put => isUnderWay(put) && put.by === n);
    if (!copy.old || state.isOldTend || atWork) return [];
    return [
      possible('deploy', `replaces copy ${n}`, {
        ...state,
        copies: replaceAt(state.copies, n, { old: false, knows: -1 }),
      }),
    ];
  });
  if (state.rollback > 0 && state.since !== null && quiet) {
    const copies = state.copies.map(() => ({ old: true, knows: -1 }));
    const back = { ...state, copies, isOldTend: true, gap: true, look: null, rollback: state.rollback - 1 };
    steps.push(possible('person', 'rolls back', back));
  }
  if (state.isOldTend)
    steps.push(certain('person', 'brings the release again', { ...state, isOldTend: false, look: null }));
  return steps;
};

/** Fan-out, publish and replays; their wake-ups are lost, at once or hours later. */
function puts(rules: Rules): Actor<State> {
  return state =>
    state.puts.flatMap((put, at) => {
      const name = `put ${at + 1}`;
      const copy = state.copies[put.by] ?? { old: false, knows: -1 };
      const steps: Step<State>[] = [];
      const step = (action: string, to: State): void => void steps.push(certain(name, action, to));
      if (put.step === 'not begun' && state.puts[at - 1]?.step !== 'not begun')
        for (const [n, { old }] of state.copies.entries())
          steps.push(
            possible(
              name,
              `begins at copy ${n}`,
              changed(state, at, { step: old ? 'puts' : 'notes', by: n, hour: state.hour }),
            ),
          );
      if (put.step === 'notes') {
        const on = (from: State): State => changed(from, at, { step: 'puts' });
        const remembers = (from: State): State => ({
          ...from,
          copies: replaceAt(from.copies, put.by, { ...copy, knows: put.hour }),
        });
        const knows = rules.remembers === 'for good' ? copy.knows >= 0 : copy.knows === put.hour;
        const noted: State = { ...state, notes: replaceAt(state.notes, put.hour, true) };
        if (knows) step('knows the hour', on(state));
        else {
          step('notes the hour', on(remembers(noted)));
          if (state.writeError > 0) {
            const failed = { ...state, writeError: state.writeError - 1 };
            const kept = rules.remembers === 'before it is written' ? remembers(failed) : failed;
            // Its job comes again, at some copy.
            const to = rules.failedNote === 'the row is put' ? on(kept) : changed(kept, at, { step: 'not begun' });
            steps.push(possible(name, 'cannot note it', to));
          }
        }
      }
      if (put.step === 'puts') {
        step('puts the row, its wake-up is lost', changed(state, at, { step: 'over', row: 'waits' }));
        if (state.late > 0)
          step(
            'puts the row, its wake-up waits',
            changed({ ...state, late: state.late - 1 }, at, { step: 'over', row: 'woken' }),
          );
      }
      if (put.row === 'woken')
        steps.push(possible('SQS', `loses the wake-up of put ${at + 1}`, changed(state, at, { row: 'waits' })));
      if (state.crash > 0 && isUnderWay(put)) {
        const dead = changed({ ...state, crash: state.crash - 1 }, at, { step: 'not begun' });
        steps.push(possible(name, 'dies', { ...dead, copies: replaceAt(dead.copies, put.by, { ...copy, knows: -1 }) }));
      }
      return steps;
    });
}

/** Whether a walk is still owed for the time in which rows came without notes. */
function owesWalk({ since, walked }: Stored, rules: Rules): boolean {
  if (rules.trusts === 'at once') return false;
  if (since === null || walked === null) return true;
  return rules.trusts === 'a walk that began an hour later' && walked < since + 2;
}

/** What it reads of notes at its beginning, it goes by to its end; a row that comes meanwhile is the next look's. */
function tend(rules: Rules): Actor<State> {
  return state => {
    const { hour, look, gap } = state;
    const found = (sees: readonly boolean[]): readonly Put[] =>
      state.puts.map((put, at) => (put.row === 'waits' && sees[at] ? { ...put, row: 'found' } : put));
    if (state.isOldTend) {
      const all = { ...state, puts: found([true, true]) };
      return [certain('old tend', 'walks over all endpoints', all)];
    }
    if (look === null) {
      const anew = state.since === null || (gap && rules.afterAGap === 'begins anew');
      const self: State = { ...state, since: anew ? hour : state.since, gap: false };
      const first = {
        'before the last finished look': state.looked - 1,
        'of the last finished look': state.looked,
        'its own': hour,
      }[rules.from];
      // All applications have one name here: a note of its hour is a note of the row's.
      const noted = state.notes.some((note, at) => note && at >= first && at <= hour);
      const begin = (walk: boolean): State => ({
        ...self,
        look: { began: hour, walk, sees: state.puts.map(({ row }) => row === 'waits' && (walk || noted)) },
      });
      const owed = owesWalk(self, rules);
      const steps = [certain('tend', owed ? 'begins a walk' : 'begins a look', begin(owed))];
      if (!owed && rules.walks) steps.push(certain('tend', 'begins the walk of these hours', begin(true)));
      return steps;
    }
    const ended: State = {
      ...state,
      look: null,
      looked: look.began,
      walked: look.walk ? look.began : state.walked,
    };
    const steps = [certain('tend', 'ends it', { ...ended, puts: found(look.sees) })];
    if (state.cut > 0) {
      const cut = { ...state, cut: state.cut - 1 };
      const counts = { ...ended, cut: cut.cut };
      steps.push(possible('tend', 'is cut off', rules.cutOff === 'counts' ? counts : { ...cut, look: null }));
    }
    return steps;
  };
}

/** Restored tables have their notes, and what tend knows, as they were; copies of functions live on. */
const disaster: Actor<State> = state => {
  const { restore, backup, notes, since, looked, walked } = state;
  if (restore === 0) return [];
  if (backup === null) {
    const rows = state.puts.map(({ row }) => ({ row }));
    return [possible('time', 'a backup is taken', { ...state, backup: { puts: rows, notes, since, looked, walked } })];
  }
  const restored = state.puts.map((put, at) => ({
    ...put,
    step: put.step === 'not begun' ? put.step : ('over' as const),
    row: (backup.puts[at] ?? NEW).row,
  }));
  const { puts: _, ...then } = backup;
  return [
    possible('person', 'restores the tables', {
      ...state,
      ...then,
      puts: restored,
      gap: true,
      look: null,
      backup: null,
      restore: restore - 1,
    }),
  ];
};

export const lookVariants: readonly Variant[] = [
  good('crash, failed note', 42_042, { crash: 1, writeError: 1 }),
  slow(good('looks that are cut off, crash', 51_264, { cut: 2, crash: 1 })),
  slow(good('an old release beside the new one, crash', 186_163, { crash: 1 }, {}, 'with an upgrade', 4)),
  slow(good('rolled back and brought again, crash', 104_335, { rollback: 1, crash: 1 })),
  good('restored tables', 35_898, { restore: 1 }),
  good('looks that are cut off', 9_972, { cut: 2 }),
  good('an old release beside the new one', 31_819, {}, {}, 'with an upgrade', 4),
  good('rolled back and brought again', 21_034, { rollback: 1 }),
  good('a wake-up that is lost hours later', 86_750, { late: 1 }, { walks: true }, 'settled', 4),
  bad('no walk, and a wake-up is lost hours later', 16_674, { late: 1 }, {}, 'settled', 4),
  bad('a failed note, and the row is put', 5_628, { writeError: 1 }, { failedNote: 'the row is put' }),
  bad('remembered before it is written', 18_367, { writeError: 1 }, { remembers: 'before it is written' }),
  bad('remembered for good', 3_322, {}, { remembers: 'for good' }),
  bad('only the notes of its own hour', 3_171, {}, { from: 'its own' }),
  bad('not the hour before the last look', 3_300, {}, { from: 'of the last finished look' }),
  bad('a look that was cut off counts as finished', 10_118, { cut: 2 }, { cutOff: 'counts' }),
  bad('an old release beside the new one, no walk', 26_619, {}, { trusts: 'at once' }, 'with an upgrade', 4),
  bad('an old release beside the new one, one walk', 29_967, {}, { trusts: 'the first walk' }, 'with an upgrade', 4),
  bad('rolled back and brought again, and no gap is seen', 11_216, { rollback: 1 }, { afterAGap: 'goes on' }),
  bad('restored tables, and no gap is seen', 30_381, { restore: 1 }, { afterAGap: 'goes on' }),
];

function good(
  name: string,
  states: number,
  faults: Faults,
  rules: Partial<Rules> = {},
  begins: Begins = 'settled',
  hours = 3,
): Variant {
  return variant('GOOD', `look: ${name}`, states, [], () =>
    lookModel({ ...PROTOCOL, ...rules }, faults, begins, hours),
  );
}

function bad(
  name: string,
  states: number,
  faults: Faults,
  rules: Partial<Rules>,
  begins: Begins = 'settled',
  hours = 3,
): Variant {
  return variant('BAD', `look: ${name}`, states, [NOT_FOUND], () =>
    lookModel({ ...PROTOCOL, ...rules }, faults, begins, hours),
  );
}
