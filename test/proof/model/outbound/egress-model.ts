/**
 * The egress guard over several customers: A has two dead endpoints, B one that answers 500, C a good one, D one that is
 * disabled. Our own way out may fail for a while, and then nobody answers. Numbers are small: the guard wants two endpoints
 * of different customers, and three silent rounds disable an endpoint. `tend` looks before each round of the schedule.
 */

import { keyOfValues } from '#test/proof/model/explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import { type Variant, variant } from '#test/proof/model/variants.ts';

interface Rules {
  readonly counts: 'one of a customer' | 'each';
  readonly failures: 'without an answer' | 'any';
  readonly closed: 'never count' | 'count';
  readonly guard: 'while it is needed' | 'never' | 'for good';
}
const PROTOCOL: Rules = {
  counts: 'one of a customer',
  failures: 'without an answer',
  closed: 'never count',
  guard: 'while it is needed',
};

const ENDPOINTS = [
  { of: 'A', does: 'is dead' },
  { of: 'A', does: 'is dead' },
  { of: 'B', does: 'answers 500' },
  { of: 'C', does: 'answers 200' },
  { of: 'D', does: 'is dead' },
] as const;
const AT_LEAST = 2;
const DISABLES = 3;

interface Endpoint {
  /** Why its breaker opened. */
  readonly held: 'no' | 'silent' | 'answered';
  /** Silent rounds in a row that were charged. */
  readonly charged: number;
  readonly disabled: boolean;
  /** In this round. */
  readonly asked: boolean;
}
interface State {
  readonly endpoints: readonly Endpoint[];
  readonly wayOut: 'has not failed' | 'fails' | 'works again';
  readonly guard: boolean;
  /** Since the last request. */
  readonly tended: boolean;
}

const CLOSED = 'NOBODY BUT ONE CUSTOMER IS SILENT, AND THE GUARD IS ON FOR ALL';
const OURS = 'AN ENDPOINT IS DISABLED FOR OUR OWN FAULT';
const NEVER = 'A DEAD ENDPOINT IS NEVER DISABLED';

const at = (endpoints: readonly Endpoint[], n: number): Endpoint => endpoints[n] as Endpoint;

function request(state: State, n: number): Step<State>[] {
  const { endpoints, wayOut, guard } = state;
  const endpoint = at(endpoints, n);
  const { of, does } = ENDPOINTS[n] as (typeof ENDPOINTS)[number];
  if (endpoint.disabled || endpoint.asked) return [];
  const to = (change: Partial<Endpoint>): State => ({
    ...state,
    tended: false,
    endpoints: replaceAt(endpoints, n, { ...endpoint, asked: true, ...change }),
  });
  const who = `endpoint ${n} of ${of}`;
  if (wayOut !== 'fails' && does !== 'is dead')
    return [certain(who, does, to({ charged: 0, held: does === 'answers 500' ? 'answered' : 'no' }))];
  if (guard) return [certain(who, 'is silent and spared', to({}))];
  const charged = endpoint.charged + 1;
  return [certain(who, 'is silent', to({ charged, held: 'silent', disabled: charged >= DISABLES }))];
}

const counting = (rules: Rules, { held, disabled }: Endpoint): boolean =>
  (held === 'silent' || (held === 'answered' && rules.failures === 'any')) && (!disabled || rules.closed === 'count');

function tend(rules: Rules): Actor<State> {
  return state => {
    if (state.tended) return [];
    const counted = ENDPOINTS.filter((_, n) => counting(rules, at(state.endpoints, n))).map(({ of }) => of);
    const number = rules.counts === 'each' ? counted.length : new Set(counted).size;
    const needed = number >= AT_LEAST && rules.guard !== 'never';
    const guard = needed || (rules.guard === 'for good' && state.guard);
    return [certain('tend', guard ? 'sees that nobody answers' : 'sees nothing', { ...state, tended: true, guard })];
  };
}

/** The next attempts are due when each endpoint was asked, and tend has looked. */
const schedule: Actor<State> = state => {
  if (!state.tended || state.endpoints.some(({ asked, disabled }) => !asked && !disabled)) return [];
  return [
    certain('schedule', 'next round', { ...state, endpoints: state.endpoints.map(it => ({ ...it, asked: false })) }),
  ];
};

const network: Actor<State> = state => {
  if (state.wayOut === 'has not failed') return [possible('our way out', 'fails', { ...state, wayOut: 'fails' })];
  return state.wayOut === 'fails' ? [certain('our way out', 'works again', { ...state, wayOut: 'works again' })] : [];
};

const FRESH: Endpoint = { held: 'no', charged: 0, disabled: false, asked: false };
const GONE: Endpoint = { held: 'silent', charged: DISABLES, disabled: true, asked: true };

function egressModel(rules: Rules): Model<State> {
  const endpoints = ENDPOINTS.map(({ of }) => (of === 'D' ? GONE : FRESH));
  return {
    starts: [{ endpoints, wayOut: 'has not failed', guard: false, tended: true }],
    actors: [
      ...ENDPOINTS.map(
        (_, n): Actor<State> =>
          state =>
            request(state, n),
      ),
      tend(rules),
      schedule,
      network,
    ],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: NEVER, from: () => true, goal: state => at(state.endpoints, 0).disabled }],
    brokenIn: state => {
      if (state.guard && state.wayOut === 'has not failed') return CLOSED;
      const ours = ENDPOINTS.some(({ does }, n) => does !== 'is dead' && at(state.endpoints, n).disabled);
      return ours ? OURS : undefined;
    },
    describe: state => JSON.stringify(state),
  };
}

const bad = (name: string, states: number, breaks: string, rules: Partial<Rules>): Variant =>
  variant('BAD', `guard: ${name}`, states, [breaks], () => egressModel({ ...PROTOCOL, ...rules }));

export const egressVariants: readonly Variant[] = [
  variant('GOOD', 'guard: one customer is dead, and our way out may fail', 2_916, [], () => egressModel(PROTOCOL)),
  bad('as it was: each endpoint of one customer counts', 26, CLOSED, { counts: 'each' }),
  bad('as it was: an answer counts', 29, CLOSED, { failures: 'any' }),
  bad('a disabled endpoint counts', 10, CLOSED, { closed: 'count' }),
  bad('it never goes on', 612, OURS, { guard: 'never' }),
  bad('it never opens again', 2_646, NEVER, { guard: 'for good' }),
];
