/**
 * Whose fault a failure is: one endpoint that works, answers 500 to all, or is silent, and messages of which one may be
 * refused with 500 whatever happens. Explores which failures are charged, when the breaker opens, when the endpoint is
 * disabled, and what waits behind an ordered head. Time has no numbers: every wait and every hold ends sooner or later.
 */

import { keyOfValues } from '#test/proof/model/explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import { type Variant, variant } from '#test/proof/model/variants.ts';

export interface Rules {
  /** A failure with an ambiguous answer is a word of its own each time, or once for a message until others failed too. */
  readonly words: 'each' | 'by message';
  /** Which ambiguous failures use up an attempt. */
  readonly charges: 'never a probe' | 'while one message failed' | 'always';
  /** Failures in a row that open the breaker. */
  readonly opensAt: number;
  /** The endpoint may be disabled for failing by any failures, or only by what is known to be its own fault. */
  readonly disables: 'any' | 'known' | 'never';
  readonly ordered: boolean;
  /** The head of an ordered endpoint: charged as a probe, too. */
  readonly headCharged: boolean;
  /** The egress guard is on: it spares every failure, or those without an answer; and what it spares waits. */
  readonly guard: 'off' | 'all, at once' | 'unanswered, waits';
  /** A success ends the failures in a row, or they stay in the window of the last results until the breaker closes. */
  readonly window: 'in a row' | 'of the last';
  /** The rate that disables: of all failures, or of those that are words of the breaker; and its owner hears first. */
  readonly rate: 'off' | 'failures' | 'words' | 'words, unwarned';
}

export const GOOD: Rules = {
  words: 'by message',
  charges: 'while one message failed',
  opensAt: 3,
  disables: 'known',
  ordered: false,
  headCharged: true,
  guard: 'off',
  window: 'in a row',
  rate: 'off',
};
const TODAY: Partial<Rules> = { words: 'each', charges: 'never a probe', disables: 'any', headCharged: false };

interface Message {
  readonly poison: boolean;
  readonly is: 'due' | 'ahead' | 'delivered' | 'dead';
  readonly attempts: number;
  /** Ghost: the last answer about it was one, not silence. */
  readonly answered: boolean;
}
export interface State {
  readonly world: 'works' | 'broken' | 'silent';
  readonly worldChanges: number;
  readonly messages: readonly Message[];
  readonly hold: boolean;
  readonly open: boolean;
  readonly gate: 'open' | 'disabled';
  /** Messages (bits) that failed since the last success. */
  readonly failed: number;
  readonly inARow: number;
  readonly probes: number;
  /** The endpoint has been failing, by what we know. */
  readonly failing: boolean;
  /** Ghost: it was silent since the last success. */
  readonly silent: boolean;
  /** What the rate counts, the messages in it (bits), and whether the owner heard of it. */
  readonly rated: number;
  readonly ratedOf: number;
  readonly warned: boolean;
}

const ATTEMPTS = 4;
const PROBES_TO_DISABLE = 2;
const RATED_TO_DISABLE = 2;

const ONE_OPENED = 'THE BREAKER OPENED FOR ONE MESSAGE';
const ONE_DISABLED = 'THE ENDPOINT WAS DISABLED FOR ONE MESSAGE';
const KILLED = "A MESSAGE DIED OF ITS ENDPOINT'S FAULT";
const UNWARNED = 'THE ENDPOINT WAS DISABLED BEFORE ITS OWNER HEARD';
const AT_ONCE = 'SENT AGAIN WITHOUT A WAIT';
const FREE_HEAD = 'A DELIVERY THAT ALONE FAILS IS NOT CHARGED';
const STUCK = 'A MESSAGE NEVER ENDS';

const two = (bits: number): boolean => (bits & (bits - 1)) !== 0;

/** What one answer does, by the rules. Pure, so that the code's own functions are compared with it. */
export function after(rules: Rules, state: State, m: number): { readonly to: State; readonly charged: boolean } {
  const message = state.messages[m] as Message;
  const answered = state.world !== 'silent';
  if (state.world === 'works' && !message.poison) return { to: succeeded(rules, state, m), charged: false };
  const failed = state.failed | (1 << m);
  const known = !answered || two(failed);
  const again = (state.failed & (1 << m)) !== 0;
  const counts = rules.words === 'each' || known || !again;
  const inARow = Math.min(rules.opensAt, state.inARow + (counts ? 1 : 0));
  const opens = state.open || (inARow >= rules.opensAt && (rules.words === 'each' || known));
  const spared = rules.guard === 'all, at once' || (rules.guard === 'unanswered, waits' && !answered);
  const charged = !spared && isCharged(rules, state, { answered, failed });
  const attempts = message.attempts + (charged ? 1 : 0);
  const dies = charged && attempts >= ATTEMPTS;
  // Whoever is charged waits for its schedule, whoever is not for the hold, or by a wait of its own.
  const waits = charged || (!opens && rules.guard !== 'all, at once');
  const is = dies ? 'dead' : waits ? 'ahead' : 'due';
  const wasProbe = state.open;
  const isRated = rules.rate !== 'off' && !spared && (rules.rate === 'failures' || counts);
  return {
    charged,
    to: {
      ...state,
      messages: replaceAt(state.messages, m, { ...message, attempts, is, answered }),
      failed,
      inARow,
      open: opens,
      hold: opens,
      probes: Math.min(PROBES_TO_DISABLE, state.probes + (wasProbe ? 1 : 0)),
      failing: state.failing || rules.disables === 'any' || known,
      silent: state.silent || !answered,
      rated: Math.min(RATED_TO_DISABLE, state.rated + (isRated ? 1 : 0)),
      ratedOf: isRated ? state.ratedOf | (1 << m) : state.ratedOf,
    },
  };
}

function succeeded(rules: Rules, state: State, m: number): State {
  const message = state.messages[m] as Message;
  const messages = replaceAt(state.messages, m, { ...message, is: 'delivered' as const, answered: true });
  // Once it closes, its window is empty; the rate is below its limit again.
  const inARow = rules.window === 'of the last' && !state.open ? state.inARow : 0;
  const rated = { rated: 0, ratedOf: 0, warned: false };
  return { ...state, ...rated, messages, failed: 0, inARow, open: false, probes: 0, failing: false, silent: false };
}

function isCharged(
  rules: Rules,
  { open }: State,
  { answered, failed }: { readonly answered: boolean; readonly failed: number },
): boolean {
  if (!answered) return !open;
  if (rules.charges === 'always' || (rules.ordered && rules.headCharged)) return true;
  return rules.charges === 'never a probe' ? !open : !two(failed);
}

function session(rules: Rules): Actor<State> {
  return state => {
    if (state.hold || state.gate !== 'open') return [];
    const waiting = state.messages.flatMap(({ is }, m) => (is === 'due' || is === 'ahead' ? [m] : []));
    const may = (rules.ordered ? waiting.slice(0, 1) : waiting).filter(m => state.messages[m]?.is === 'due');
    return may.map(m => certain('session', `sends m${m}`, after(rules, state, m).to));
  };
}

const time: Actor<State> = state => [
  ...(state.hold ? [certain('time', 'the hold ends', { ...state, hold: false })] : []),
  ...state.messages.flatMap((message, m): Step<State>[] =>
    message.is === 'ahead'
      ? [
          certain('time', `m${m} is due`, {
            ...state,
            messages: replaceAt(state.messages, m, { ...message, is: 'due' }),
          }),
        ]
      : [],
  ),
];

/** After days without a success. */
function days(rules: Rules): Actor<State> {
  return state => {
    const may = rules.disables !== 'never' && state.failing && state.open && state.probes >= PROBES_TO_DISABLE;
    return may && state.gate === 'open' ? [certain('days', 'disable it', { ...state, gate: 'disabled' })] : [];
  };
}

/** The rate of failures is over its limit: first a word to the owner, then, an hour later, the gate. */
function rate(rules: Rules): Actor<State> {
  return state => {
    if (rules.rate === 'off' || state.rated < RATED_TO_DISABLE || state.gate !== 'open') return [];
    const ends = certain('rate', 'disable by rate', { ...state, gate: 'disabled' as const });
    if (rules.rate === 'words, unwarned' || state.warned) return [ends];
    return [certain('rate', 'tell the owner', { ...state, warned: true })];
  };
}

const world: Actor<State> = state => [
  ...(state.world === 'works' ? [] : [certain('world', 'works again', { ...state, world: 'works' as const })]),
  ...(state.worldChanges === 0
    ? []
    : (['broken', 'silent'] as const).map(to =>
        possible('world', `is ${to}`, { ...state, world: to, worldChanges: state.worldChanges - 1 }),
      )),
];

interface Scope {
  /** Of each message. */
  readonly poison: readonly boolean[];
  /** How often the endpoint may change. */
  readonly changes: number;
  /** A person has just enabled it: its first request is a probe. */
  readonly enabled?: boolean;
}

export function startOf(scope: Scope): State {
  return {
    world: 'works',
    worldChanges: scope.changes,
    messages: scope.poison.map(poison => ({ poison, is: 'due', attempts: 0, answered: false })),
    hold: false,
    open: scope.enabled ?? false,
    gate: 'open',
    failed: 0,
    inARow: 0,
    probes: 0,
    failing: false,
    silent: false,
    rated: 0,
    ratedOf: 0,
    warned: false,
  };
}

function faultModel(rules: Rules, scope: Scope): Model<State> {
  const start = startOf(scope);
  return {
    starts: [start],
    actors: [session(rules), time, days(rules), rate(rules), world],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [
      {
        rule: STUCK,
        from: () => true,
        goal: ({ gate, messages }) =>
          gate === 'disabled' || messages.every(({ is }) => is === 'delivered' || is === 'dead'),
      },
    ],
    brokenBy: (from, to, action) => brokenBy(rules, from, to, action),
    describe: state => JSON.stringify(state),
  };
}

function brokenBy(rules: Rules, from: State, to: State, action: string): string | undefined {
  if (action.endsWith('disable by rate')) {
    if (!two(from.ratedOf) && !from.silent) return ONE_DISABLED;
    return from.warned ? undefined : UNWARNED;
  }
  if (to.gate === 'disabled' && from.gate === 'open' && !two(from.failed) && !from.silent) return ONE_DISABLED;
  if (!action.startsWith('sends')) return undefined;
  const m = Number(action.slice('sends m'.length));
  const [before, now] = [from.messages[m] as Message, to.messages[m] as Message];
  if (now.is === 'due' && !to.hold) return AT_ONCE;
  if (to.open && !from.open && !two(to.failed) && from.world !== 'silent') return ONE_OPENED;
  const failedWithAnswer = now.is !== 'delivered' && from.world !== 'silent';
  if (failedWithAnswer && !two(to.failed) && now.attempts === before.attempts) return FREE_HEAD;
  // Of an ordered endpoint nobody can tell: nothing passes the head, so that the head is charged.
  return now.is === 'dead' && two(to.failed) && from.world !== 'silent' && !rules.ordered ? KILLED : undefined;
}

const ALONE = { poison: [true], changes: 0 };
const BESIDE = { poison: [true, false], changes: 1 };
const ALL = { poison: [false, false], changes: 2 };
const THREE = { poison: [true, false, false], changes: 2 };

export const outboundFaultVariants: readonly Variant[] = [
  good('one bad message alone', 8, ALONE),
  good('one bad message beside a good one, a fault of the endpoint', 1264, BESIDE),
  good('an endpoint that fails twice', 4576, ALL),
  good('a bad one, two good ones, an endpoint that fails twice', 72774, THREE),
  good('in order: a bad head, and the endpoint fails', 155, BESIDE, { ordered: true, disables: 'never' }),
  good('one bad message, just enabled', 15, { ...ALONE, enabled: true }),
  good('our own way out is under suspicion', 52399, THREE, { guard: 'unanswered, waits' }),
  good('opens at the first failure that is known to be its own', 37022, THREE, { opensAt: 1 }),
  good('two of the last, with successes between them', 43459, THREE, { opensAt: 2, window: 'of the last' }),
  good('disabled by a rate, its owner told before', 12880, { ...BESIDE, changes: 2 }, { rate: 'words' }),
  good('one bad message and a rate', 8, ALONE, { rate: 'words' }),
  bad('of the last, each failure a word', ONE_OPENED, BESIDE, { opensAt: 2, window: 'of the last', words: 'each' }, 20),
  bad('a rate of failures, whosever they are', ONE_DISABLED, ALONE, { rate: 'failures' }, 9),
  bad('a rate that tells nobody before', UNWARNED, ALL, { rate: 'words, unwarned' }, 73),
  today('every failure counts: one bad message opens the breaker', ONE_OPENED, ALONE, {}, 6),
  today('the first failure opens, where one request at a time is allowed', ONE_OPENED, BESIDE, { opensAt: 1 }, 2),
  today(
    'the same breaker by words, probes free, alone',
    FREE_HEAD,
    { ...ALONE, changes: 1 },
    { words: 'by message' },
    70,
  ),
  bad('any failure disables', ONE_DISABLED, { ...ALONE, enabled: true }, { disables: 'any' }, 9),
  today(
    'in order: the head is free as a probe',
    FREE_HEAD,
    BESIDE,
    { ordered: true, disables: 'never', words: 'by message' },
    86,
  ),
  today('the guard spares every failure, at once', AT_ONCE, BESIDE, { guard: 'all, at once' }, 2),
  bad('every ambiguous failure is charged', KILLED, ALL, { charges: 'always' }, 981),
];

function good(name: string, states: number, scope: Scope, rules: Partial<Rules> = {}): Variant {
  return variant('GOOD', `fault: ${name}`, states, [], () => faultModel({ ...GOOD, ...rules }, scope));
}
function bad(name: string, breaks: string, scope: Scope, rules: Partial<Rules>, states: number): Variant {
  return variant('BAD', `fault: ${name}`, states, [breaks], () => faultModel({ ...GOOD, ...rules }, scope));
}
function today(name: string, breaks: string, scope: Scope, rules: Partial<Rules>, states: number): Variant {
  return bad(`as it was: ${name}`, breaks, scope, { ...TODAY, ...rules }, states);
}
