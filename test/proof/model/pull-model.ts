/**
 * An endpoint of kind pull: two messages, of which the older may be fanned out behind the younger, two readers that read
 * pages and acknowledge what they were given, a cursor that comes late or again, a replay, the end of the retention, and
 * readers that die. Checks that what counts as delivered was given, that nothing owed is without a row, and that all ends.
 */

import { keyOfValues } from '#test/proof/model/explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import { type Variant, variant } from '#test/proof/model/variants.ts';

interface Rules {
  /** What a cursor stands for. */
  readonly cursor: 'the rows that were given' | 'all rows up to its place';
  /** What W5 asks of the record. */
  readonly record: 'is open in the generation of the row' | 'is open';
  readonly first: 'the record' | 'the row';
  readonly given: 'until acknowledged' | 'once';
}
const PROTOCOL: Rules = {
  cursor: 'the rows that were given',
  record: 'is open in the generation of the row',
  first: 'the record',
  given: 'until acknowledged',
};

interface Message {
  readonly fannedOut: boolean;
  /** Generations of its rows. */
  readonly rows: readonly number[];
  readonly record?: { readonly gen: number; readonly status: 'pending' | 'delivered' | 'expired' };
  /** Ghost: the generations that a reader was given. */
  readonly given: readonly number[];
}
interface Row {
  readonly of: number;
  readonly gen: number;
}
interface Reader {
  readonly cursor: readonly Row[];
  /** Rows of an acknowledgement that are still to be written. */
  readonly left: readonly Row[];
  /** Its row went before its record was written. */
  readonly owed?: Row;
}
interface State {
  /** The older one first. */
  readonly messages: readonly Message[];
  readonly readers: readonly Reader[];
  readonly old: boolean;
  readonly budget: { readonly again: number; readonly crashes: number; readonly replays: number };
}

const spend = (state: State, what: keyof State['budget']): State => ({
  ...state,
  budget: { ...state.budget, [what]: state.budget[what] - 1 },
});

const NEVER_GIVEN = 'O21 DELIVERED, BUT NEVER GIVEN TO A READER';
const NO_ROW = 'O3 OWED, BUT NO ROW POINTS TO IT';
const UNDONE = 'O4 A FINAL DELIVERY WAS UNDONE';
const STUCK = 'O2 STUCK FOR EVER';

const messageOf = (state: State, { of }: Pick<Row, 'of'>): Message => state.messages[of] as Message;
const isOpen = ({ record }: Message, gen: number): boolean =>
  record === undefined ? gen === 1 : record.gen === gen && record.status === 'pending';
const isFinal = ({ record }: Message): boolean => record !== undefined && record.status !== 'pending';
const withMessage = (state: State, of: number, to: Partial<Message>): State => ({
  ...state,
  messages: replaceAt(state.messages, of, { ...messageOf(state, { of }), ...to }),
});
const withoutRow = (state: State, { of, gen }: Row): State =>
  withMessage(state, of, { rows: messageOf(state, { of }).rows.filter(each => each !== gen) });

/** First rows by the time of their message, replays behind them. */
function rowsOf({ messages }: State): readonly Row[] {
  const all = messages.flatMap(({ rows }, of) => rows.map(gen => ({ of, gen })));
  return all.sort((a, b) => a.gen - b.gen || a.of - b.of);
}
const isUpTo = (row: Row, last: Row): boolean => row.gen < last.gen || (row.gen === last.gen && row.of <= last.of);

/** Late, and again. */
const fanOut: Actor<State> = state =>
  state.messages.flatMap((message, of) => {
    const rows = [...new Set([...message.rows, 1])].sort();
    if (!message.fannedOut)
      return [certain('fan-out', `puts the row of ${of}`, withMessage(state, of, { fannedOut: true, rows }))];
    if (state.budget.again === 0) return [];
    return [possible('fan-out', `puts the row of ${of} again`, withMessage(spend(state, 'again'), of, { rows }))];
  });

function reader(rules: Rules, me: number): Actor<State> {
  return state => {
    const { cursor, left, owed } = state.readers[me] as Reader;
    const who = `reader ${me}`;
    const to = (next: State, mine: Reader): State => ({ ...next, readers: replaceAt(next.readers, me, mine) });
    const steps: Step<State>[] = [];
    if (state.budget.crashes > 0 && (cursor.length > 0 || left.length > 0))
      steps.push(possible(who, 'dies', to(spend(state, 'crashes'), { cursor: [], left: [] })));
    // 1. An acknowledgement under way: W5, and W8.
    if (owed) return [...steps, certain(who, 'records', to(delivered(rules, state, owed), { cursor, left }))];
    const [row, ...rest] = left;
    if (row) {
      if (rules.first === 'the row')
        return [
          ...steps,
          certain(who, 'deletes the row', to(withoutRow(state, row), { cursor, left: rest, owed: row })),
        ];
      return [...steps, certain(who, 'records', to(delivered(rules, state, row), { cursor, left: rest }))];
    }
    // 2. A page: the first rows whose record is open. What was given before is given again.
    const page = rowsOf(state).filter(each => {
      const message = messageOf(state, each);
      return isOpen(message, each.gen) && (rules.given === 'until acknowledged' || !message.given.includes(each.gen));
    });
    for (let size = 1; size <= page.length; size++) {
      const rows = page.slice(0, size);
      const seen = rows.reduce((all, { of, gen }) => {
        const given = [...new Set([...messageOf(all, { of }).given, gen])].sort();
        return withMessage(all, of, { given });
      }, state);
      steps.push(certain(who, `reads ${size}`, to(seen, { cursor: rows, left: [] })));
    }
    // 3. Its cursor, for the first time or again.
    const last = cursor.at(-1);
    if (last) {
      const upTo = rowsOf(state).filter(each => isUpTo(each, last));
      const named = rules.cursor === 'all rows up to its place' ? upTo : cursor;
      steps.push(certain(who, 'acknowledges', to(state, { cursor, left: named })));
    }
    return steps;
  };
}

/** W5. Refused: it is over, or another generation's. */
function delivered(rules: Rules, state: State, { of, gen }: Row): State {
  const message = messageOf(state, { of });
  const current = message.record?.gen ?? 1;
  if (!isOpen(message, rules.record === 'is open' ? current : gen)) return state;
  return withMessage(state, of, { record: { gen: current, status: 'delivered' } });
}

/** Whoever meets a row whose record says that it is done deletes it (W8). At the end of the retention a session ends it (W9). */
const session: Actor<State> = state =>
  rowsOf(state).flatMap(row => {
    const message = messageOf(state, row);
    if (!isOpen(message, row.gen)) return [certain('anybody', 'deletes a row that is done', withoutRow(state, row))];
    if (!state.old) return [];
    return [certain('session', 'ends it', withMessage(state, row.of, { record: { gen: row.gen, status: 'expired' } }))];
  });

const people: Actor<State> = state => {
  const steps: Step<State>[] = state.old ? [] : [possible('time', 'the retention ends', { ...state, old: true })];
  if (state.budget.replays === 0) return steps;
  for (const [of, message] of state.messages.entries()) {
    if (!message.record || !isFinal(message)) continue;
    const gen = message.record.gen + 1;
    const rows = [...message.rows, gen];
    steps.push(
      possible(
        'person',
        'replays',
        withMessage(spend(state, 'replays'), of, { rows, record: { gen, status: 'pending' } }),
      ),
    );
  }
  return steps;
};

function brokenIn({ messages }: State): string | undefined {
  for (const message of messages) {
    const { record, given, rows, fannedOut } = message;
    if (record?.status === 'delivered' && !given.includes(record.gen)) return NEVER_GIVEN;
    if (fannedOut && !isFinal(message) && !rows.includes(record?.gen ?? 1)) return NO_ROW;
  }
  return undefined;
}

/** Nobody tells the readers apart. */
function symmetric(state: State): State {
  const [a, b] = state.readers as readonly [Reader, Reader];
  return codeOf(a) <= codeOf(b) ? state : { ...state, readers: [b, a] };
}

/** Of up to four rows each: 14 bits and as many more, and the row that is owed. */
function codeOf({ cursor, left, owed }: Reader): number {
  const code = (rows: readonly Row[]): number => rows.reduce((all, { of, gen }) => 6 * all + 1 + of + 2 * (gen - 1), 0);
  return code(cursor) + 10_000 * (code(left) + 10_000 * code(owed ? [owed] : []));
}

function pullModel(rules: Rules): Model<State> {
  const message: Message = { fannedOut: false, rows: [], given: [] };
  const idle: Reader = { cursor: [], left: [] };
  return {
    starts: [
      { messages: [message, message], readers: [idle, idle], old: false, budget: { again: 1, crashes: 1, replays: 1 } },
    ],
    actors: [fanOut, reader(rules, 0), reader(rules, 1), session, people],
    key: keyOfValues('budget'),
    budget: 'budget',
    symmetric,
    stopAtFirst: true,
    mustReach: [
      {
        rule: STUCK,
        from: () => true,
        goal: ({ messages }) => messages.every(each => isFinal(each) && each.rows.length === 0),
      },
    ],
    brokenIn,
    brokenBy: (from, to, action) =>
      action !== 'replays' && from.messages.some((each, of) => isFinal(each) && !isFinal(messageOf(to, { of })))
        ? UNDONE
        : undefined,
    describe: state => JSON.stringify(state),
  };
}

const bad = (name: string, states: number, breaks: string, rules: Partial<Rules>): Variant =>
  variant('BAD', name, states, [breaks], () => pullModel({ ...PROTOCOL, ...rules }));

export const pullVariants: readonly Variant[] = [
  variant('GOOD', 'two readers acknowledge the rows that they were given', 70_106, [], () => pullModel(PROTOCOL)),
  bad('a cursor stands for all rows up to its place: one arrives late behind it', 175, NEVER_GIVEN, {
    cursor: 'all rows up to its place',
  }),
  bad('a cursor that comes again ends a replay', 855, NEVER_GIVEN, { record: 'is open' }),
  bad('the row goes before its record is written', 55, NO_ROW, { first: 'the row' }),
  bad('what was given is not given again', 24_542, STUCK, { given: 'once' }),
];
