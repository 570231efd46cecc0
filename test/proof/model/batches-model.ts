/**
 * Batches of one endpoint: two messages wait, one comes later, one of them may be refused with 4xx wherever it is. Two
 * sessions (the second after a lost lease) group what waits, send it, and write what came of it member by member, while
 * processes die. Explores under which ids a message is sent, and who is charged for the one that is refused.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

interface Rules {
  readonly members: 'are fixed before the first request' | 'are fixed after a failure' | 'are grouped anew';
  /** What the write that fixes or splits a batch requires. */
  readonly fixing: 'the lease' | 'nothing';
  /** A batch of which some members are recorded as delivered: its session died in between. */
  readonly torn: 'is recorded alike' | 'is sent: what is left';
  /** A 4xx about several messages. */
  readonly refused: 'halves' | 'charges all';
}
const PROTOCOL: Rules = {
  members: 'are fixed before the first request',
  fixing: 'the lease',
  torn: 'is recorded alike',
  refused: 'halves',
};

/** Messages are bits. */
type Bits = number;
interface Session {
  readonly at: 'idle' | 'grouped' | 'fixed' | 'answered' | 'refused';
  readonly group: Bits;
  /** It had the lease when it fixed the group: what it sends late is an old request, and no new id. */
  readonly asOwner: boolean;
}
interface State {
  readonly arrived: Bits;
  readonly delivered: Bits;
  readonly dead: Bits;
  readonly fixed: readonly Bits[];
  readonly owner: 0 | 1;
  readonly sessions: readonly Session[];
  /** Ghost: the batch in which each was sent, since the last split. */
  readonly sentAs: readonly Bits[];
  readonly failuresLeft: number;
  readonly deathsLeft: number;
  readonly leasesLeft: number;
}

const ALL = [0, 1, 2];
const LATE: Bits = 0b100;
const IDLE: Session = { at: 'idle', group: 0, asOwner: true };
const TWO_IDS = 'A MESSAGE IS SENT UNDER TWO IDS WITHOUT A SPLIT';
const INNOCENT = 'A MESSAGE IS CHARGED FOR ANOTHER';
const STUCK = 'A MESSAGE NEVER ENDS';

const membersOf = (group: Bits): readonly number[] => ALL.filter(m => (group & (1 << m)) !== 0);
const over = ({ delivered, dead }: State): Bits => delivered | dead;
const half = (group: Bits): readonly [Bits, Bits] => {
  const members = membersOf(group);
  const bits = (of: readonly number[]): Bits => of.reduce((sum, m) => sum | (1 << m), 0);
  const middle = Math.ceil(members.length / 2);
  return [bits(members.slice(0, middle)), bits(members.slice(middle))];
};

const withId = (ids: readonly Bits[], group: Bits, id: Bits): readonly Bits[] =>
  ids.map((old, m) => ((group & (1 << m)) === 0 ? old : id));
/** Fixed with the lease, and not sent before that was lost: a late request, under an old id. */
const isLate = ({ sessions, owner }: State, s: number): boolean => sessions[s]?.asOwner === true && owner !== s;

/** What a session may take: a batch that is fixed, or some of what is in none. */
function groups(rules: Rules, state: State): readonly Bits[] {
  const open = state.arrived & ~over(state);
  const batch = state.fixed.find(members => (members & open) !== 0);
  if (batch !== undefined) return [rules.torn === 'is recorded alike' ? batch : batch & open];
  const first = open & -open;
  return open === 0 ? [] : [...new Set([open, first])];
}

function session(rules: Rules, poison: Bits, s: 0 | 1): Actor<State> {
  return state => {
    const me = state.sessions[s] as Session;
    const with_ = (from: State, change: Partial<Session>): State => ({
      ...from,
      sessions: replaceAt(from.sessions, s, { ...me, ...change }),
    });
    const idle = (from: State): State => with_(from, IDLE);
    const who = `session ${s}`;
    const isOwner = state.owner === s;
    const may = isOwner || rules.fixing === 'nothing';
    const steps: Step<State>[] = [];
    if (me.at === 'idle') {
      if (!isOwner) return [];
      const name = (group: Bits): string => `groups ${membersOf(group).join()}`;
      const at = (group: Bits): Session['at'] => {
        if ((group & state.delivered) !== 0) return 'answered';
        return state.fixed.includes(group) ? 'fixed' : 'grouped';
      };
      return groups(rules, state).map(group => certain(who, name(group), with_(state, { at: at(group), group })));
    }
    if (state.deathsLeft > 0) steps.push(possible(who, 'dies', idle({ ...state, deathsLeft: state.deathsLeft - 1 })));
    if (me.at === 'grouped') {
      const first = rules.members === 'are fixed before the first request';
      const fixed = first ? [...new Set([...state.fixed, me.group])].toSorted() : state.fixed;
      const to = may || !first ? with_({ ...state, fixed }, { at: 'fixed', asOwner: isOwner }) : idle(state);
      return [...steps, certain(who, 'fixes the batch', to)];
    }
    if (me.at === 'fixed') {
      const sent = isLate(state, s) ? state : { ...state, sentAs: withId(state.sentAs, me.group, me.group) };
      if ((me.group & poison) !== 0) return [...steps, certain(who, 'sends, 4xx', with_(sent, { at: 'refused' }))];
      steps.push(certain(who, 'sends, 2xx', with_(sent, { at: 'answered' })));
      if (state.failuresLeft === 0) return steps;
      const after = rules.members === 'are fixed after a failure' && may ? [...state.fixed, me.group] : state.fixed;
      const failed = { ...sent, failuresLeft: state.failuresLeft - 1, fixed: [...new Set(after)].toSorted() };
      return [...steps, possible(who, 'sends, 5xx', idle(failed))];
    }
    const without = state.fixed.filter(group => group !== me.group);
    if (me.at === 'answered') {
      const left = membersOf(me.group & ~over(state));
      const [m] = left;
      if (m === undefined) return [...steps, certain(who, 'removes the batch', idle({ ...state, fixed: without }))];
      return [...steps, certain(who, `records ${m}`, with_({ ...state, delivered: state.delivered | (1 << m) }, {}))];
    }
    const alone = membersOf(me.group).length === 1;
    if (alone || rules.refused === 'charges all') {
      const dead = state.dead | (me.group & ~state.delivered);
      return [...steps, certain(who, 'charges', idle({ ...state, dead, fixed: without }))];
    }
    if (!may) return [...steps, certain(who, 'is refused the split', idle(state))];
    const fixed = rules.members === 'are grouped anew' ? [] : [...without, ...half(me.group)].toSorted();
    const sentAs = withId(state.sentAs, me.group, 0);
    return [...steps, certain(who, 'splits', idle({ ...state, fixed, sentAs }))];
  };
}

const world: Actor<State> = state => [
  ...((state.arrived & LATE) === 0 ? [certain('world', 'm2 comes', { ...state, arrived: state.arrived | LATE })] : []),
  ...(state.leasesLeft === 0
    ? []
    : [
        possible('world', 'the lease ends early', {
          ...state,
          leasesLeft: state.leasesLeft - 1,
          owner: state.owner === 0 ? (1 as const) : (0 as const),
        }),
      ]),
];

function brokenBy(poison: Bits, from: State, to: State, action: string): string | undefined {
  if ((to.dead & ~poison) !== 0) return INNOCENT;
  if (!action.startsWith('sends')) return undefined;
  const s = from.sessions.findIndex(({ at }, n) => at === 'fixed' && to.sessions[n]?.at !== 'fixed');
  const { group } = from.sessions[s] as Session;
  if (isLate(from, s)) return undefined;
  return membersOf(group).some(m => from.sentAs[m] !== 0 && from.sentAs[m] !== group) ? TWO_IDS : undefined;
}

interface Scope {
  readonly poison: Bits;
  readonly failures: number;
  readonly deaths: number;
  readonly leases: number;
}

function batchesModel(rules: Rules, { poison, failures, deaths, leases }: Scope): Model<State> {
  return {
    starts: [
      {
        ...{ arrived: 0b011, delivered: 0, dead: 0, fixed: [], owner: 0, sessions: [IDLE, IDLE], sentAs: [0, 0, 0] },
        ...{ failuresLeft: failures, deathsLeft: deaths, leasesLeft: leases },
      },
    ],
    actors: [session(rules, poison, 0), session(rules, poison, 1), world],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [
      {
        rule: STUCK,
        from: () => true,
        goal: ({ arrived, delivered, dead }) => arrived === 0b111 && delivered === (0b111 & ~poison) && dead === poison,
      },
    ],
    brokenBy: (from, to, action) => brokenBy(poison, from, to, action),
    describe: state => JSON.stringify(state),
  };
}

const FAILS: Scope = { poison: 0, failures: 2, deaths: 1, leases: 1 };
const POISON: Scope = { poison: 0b010, failures: 1, deaths: 1, leases: 1 };
const BARE: Scope = { poison: 0, failures: 0, deaths: 0, leases: 0 };

function good(name: string, states: number, scope: Scope): Variant {
  return variant('GOOD', `batches: ${name}`, states, [], () => batchesModel(PROTOCOL, scope));
}
function bad(name: string, states: number, breaks: string, scope: Partial<Scope>, rules: Partial<Rules>): Variant {
  const model = () => batchesModel({ ...PROTOCOL, ...rules }, { ...BARE, ...scope });
  return variant('BAD', `batches: ${name}`, states, [breaks], model);
}

/** `as it was`: what was built before. */
export const batchesVariants: readonly Variant[] = [
  good('two failures, a death, a lost lease', 7_076, FAILS),
  good('one message is refused, a failure, a death, a lost lease', 3_951, POISON),
  bad('as it was: grouped anew', 50, TWO_IDS, { failures: 1 }, { members: 'are grouped anew' }),
  bad('as it was: a 4xx charges all', 15, INNOCENT, { poison: 0b010 }, { refused: 'charges all' }),
  bad('fixed after a failure', 83, TWO_IDS, { deaths: 1 }, { members: 'are fixed after a failure' }),
  bad('fixed without the lease', 275, TWO_IDS, { leases: 1 }, { fixing: 'nothing' }),
  bad('what is left of a batch goes alone', 95, TWO_IDS, { deaths: 1 }, { torn: 'is sent: what is left' }),
];
