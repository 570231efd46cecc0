/** One representative for all outbound states that no rule can tell apart, and the key of a state. */
import { packKey } from './explore.ts';
import type { FanStep, OutboundRules } from './outbound-rules.ts';
import {
  type Budget,
  type Drainer,
  type DrainerStep,
  type Fan,
  type Message,
  NOBODY,
  type Pointer,
  type ReadBefore,
  type Replayer,
  type Row,
  type Runtime,
  SLOTS,
  type State,
} from './outbound-state.ts';

/** Interchangeable drainers, token slots and fan-outs are sorted; flags that nothing reads are dropped. */
export function canonicalState(state: State, rules: OutboundRules): State {
  return sortFans(sortSlots(sortDrainers(withoutUnreadFlags(state, rules))));
}

function withoutUnreadFlags(state: State, rules: OutboundRules): State {
  const { runtime } = state;
  const leased = runtime.leased && runtime.owner !== NOBODY;
  const recent = runtime.recent && rules.heldSeen === 'stale';
  if (leased === runtime.leased && recent === runtime.recent) return state;
  return { ...state, runtime: { ...runtime, leased, recent } };
}

function sortDrainers(state: State): State {
  const [a, b] = state.drainers;
  if (!b || (a && compareCodes(codesOf(b), codesOf(a)) >= 0)) return state;
  const other = (me: number): number => (me === 0 || me === 1 ? 1 - me : me);
  return {
    ...state,
    drainers: [b, a].map(it => (it?.read ? { ...it, read: { ...it.read, owner: other(it.read.owner) } } : it)),
    tokens: state.tokens.map(other),
    runtime: { ...state.runtime, owner: other(state.runtime.owner) },
  };
}

function sortSlots(state: State): State {
  const rank = state.tokens.map((token, slot) => slotCodes(state, token, slot));
  const order = [...rank.keys()].sort((a, b) => compareCodes(rank[a] ?? [], rank[b] ?? []));
  if (order.every((slot, index) => slot === index)) return state;
  return {
    ...state,
    tokens: order.map(slot => state.tokens[slot] as number),
    drainers: state.drainers.map(drainer => drainer && { ...drainer, slot: order.indexOf(drainer.slot) }),
  };
}

function slotCodes({ drainers }: State, token: number, slot: number): readonly number[] {
  return [token, ...drainers.flatMap((drainer, me) => (drainer?.slot === slot ? [me] : []))];
}

function sortFans(state: State): State {
  const [a, b] = state.fans;
  if (!b || (a && fanCode(a) <= fanCode(b))) return state;
  return { ...state, fans: [b, a] };
}

function compareCodes(a: readonly number[], b: readonly number[]): number {
  for (let n = 0; n < a.length && n < b.length; n++) {
    if (a[n] !== b[n]) return (a[n] as number) - (b[n] as number);
  }
  return a.length - b.length;
}

// Ranks follow the order in which the reference model sorts, so that a run that stops at its first broken rule has
// interned as many states as there.
const STEP: Readonly<Record<DrainerStep, number>> = {
  ack: 0,
  check: 1,
  delete: 2,
  disable: 3,
  got: 4,
  'late-failure': 5,
  'late-record': 6,
  'pass on': 7,
  put: 8,
  query: 9,
  recheck: 10,
  release: 11,
  sent: 12,
  look: 13,
  rows: 14,
  lease: 15,
};
const WHY = {
  '': 0,
  ahead: 1,
  'batch bad': 2,
  'batch ok': 3,
  closed: 4,
  gone: 5,
  hold: 6,
  none: 7,
  wake: 8,
  fresh: 9,
  opens: 10,
  probed: 11,
  broken: 12,
  'broken, ahead': 13,
  'broken, hold': 14,
} as const;
const GATE = { '': 0, disabled: 1, open: 2, paused: 3, deleted: 4 } as const;
const BY = { '': 0, operator: 1, customer: 2 } as const;
const WAKE = { none: 0, ahead: 1, due: 2 } as const;
const KIND = { A: 0, B: 1, C: 2 } as const;
const STATUS = { pending: 1, retrying: 2, delivered: 3, dead: 4, ended: 5 } as const;
const FAN_STEP: Readonly<Record<FanStep, number>> = { ack: 0, rows: 1, tokens: 2 };
const PUBLISHER_STEP = { idle: 0, put: 1, send: 2, direct: 3 } as const;
const REPLAY_STEP: Readonly<Record<Replayer['step'], number>> = { record: 0, row: 1, token: 2, write: 3, note: 4 };

/** 0…511: generations and attempts up to 7. */
function rowCode({ kind, gen, n, due }: Row): number {
  return Number(due === 'reached') + 2 * (n + 8 * (gen + 8 * KIND[kind]));
}

/** 0…1,023 */
function pointerCode({ message, row }: Pointer): number {
  return rowCode(row) + 512 * message;
}

/** 0…14,399 */
function drainerCode({ step, slot, why, gate, robbed, probing }: Drainer): number {
  const flags = Number(probing) + 2 * Number(robbed);
  return flags + 4 * (GATE[gate] + 5 * (WHY[why] + 15 * (slot + SLOTS * STEP[step])));
}

/** 0…47 */
function readCode(read: ReadBefore | undefined): number {
  if (!read) return 0;
  const { owner, wake, rows, ahead } = read;
  return 1 + Number(rows) + 2 * (Number(ahead) + 2 * (WAKE[wake] + 3 * (owner < 2 ? owner + 1 : 3)));
}

/** Ended by a zero, so that a shorter list comes first. */
function codesOf(drainer: Drainer): readonly number[] {
  const { page, hand, read } = drainer;
  return [
    drainerCode(drainer),
    readCode(read),
    ...page.map(p => 1 + pointerCode(p)),
    0,
    ...hand.map(p => 1 + pointerCode(p)),
    0,
  ];
}

/** 0…12 */
function fanCode(fan: Fan | undefined): number {
  return fan ? 1 + Number(fan.holds) + 2 * (fan.message + 2 * FAN_STEP[fan.step]) : 0;
}

function runtimeCode({ owner, leased, gate, hold, wake, drop, old, recent }: Runtime): number {
  const flags = Number(leased) + 2 * (Number(hold) + 2 * Number(recent));
  return flags + 8 * (WAKE[wake] + 3 * (GATE[gate] + 5 * (drop + 4 * (old + 4 * (owner < 2 ? owner + 1 : 3)))));
}

function peopleCode({ gateBy, kept, breaker, probes }: Runtime): number {
  return BY[gateBy] + 3 * (Number(kept) + 2 * (Number(breaker) + 2 * probes));
}

function recordCode({ record }: Message): number {
  return record ? STATUS[record.status] + 6 * (record.attempts + 8 * record.gen) : 0;
}

/** Messages, then their rows, ended by a zero. */
function messageCodes(message: Message): readonly number[] {
  const { stored, jobs, fanned, maySend, failed, sentGen, rows } = message;
  return [
    Number(stored) + 2 * (Number(fanned) + 2 * (jobs + 3 * recordCode(message))),
    maySend + 16 * (failed + 16 * sentGen),
    ...rows.map(row => 1 + rowCode(row)),
    0,
  ];
}

function personCode(person: Replayer | undefined): number {
  return person ? 1 + Number(person.counted) + 2 * (person.gen + 8 * REPLAY_STEP[person.step]) : 0;
}

/** Each budget up to 3: eight to a unit. */
function budgetCodes(b: Budget): readonly number[] {
  return [
    b.crash |
      (b.lost << 2) |
      (b.zombie << 4) |
      (b.error << 6) |
      (b.fail << 8) |
      (b.throttled << 10) |
      (b.breaker << 12),
    b.gone |
      (b.pause << 2) |
      (b.delete << 4) |
      (b.drop << 6) |
      (b.expire << 8) |
      (b.replay << 10) |
      (b.duplicate << 12),
    b.purge,
  ];
}

/** A key that tells all states apart. */
export function keyOf(state: State): string {
  const { publisher, fans, tokens, drainers, people } = state;
  const slots = tokens.reduce((code, token) => 5 * code + (token < 2 ? token + 2 : 4), 0);
  return packKey(
    PUBLISHER_STEP[publisher.step] + 4 * (publisher.tries + 4 * Number(publisher.acked)) + 32 * slots,
    runtimeCode(state.runtime),
    peopleCode(state.runtime),
    fanCode(fans[0]) + 13 * fanCode(fans[1]),
    personCode(people[0]) + 81 * personCode(people[1]),
    ...budgetCodes(state.budget),
    ...state.messages.flatMap(messageCodes),
    ...drainers.flatMap(drainer => (drainer ? codesOf(drainer) : [60_000])),
  );
}
