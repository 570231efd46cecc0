/** One representative for all outbound states that no rule can tell apart, and the key of a state. */
import { Key } from '#test/proof/model/explorer/state-table.ts';
import type { FanStep, OutboundRules } from './outbound-rules.ts';
import {
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

/** Interchangeable drainers, wake-up slots and fan-outs are sorted; flags that nothing reads are dropped. */
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
  const a = state.drainers[0];
  const b = state.drainers[1];
  if (!b || (a && compareDrainers(b, a) >= 0)) return state;
  const other = (me: number): number => (me === 0 || me === 1 ? 1 - me : me);
  return {
    ...state,
    drainers: [b, a].map(it => (it?.read ? { ...it, read: { ...it.read, owner: other(it.read.owner) } } : it)),
    wakeUps: state.wakeUps.map(other),
    runtime: { ...state.runtime, owner: other(state.runtime.owner) },
  };
}

function sortSlots(state: State): State {
  if (hasSortedSlots(state)) return state;
  const rank = state.wakeUps.map((wakeUp, slot) => slotCode(state, wakeUp, slot));
  const order = [...rank.keys()].sort((a, b) => (rank[a] as number) - (rank[b] as number));
  return {
    ...state,
    wakeUps: order.map(slot => state.wakeUps[slot] as number),
    drainers: state.drainers.map(drainer => drainer && { ...drainer, slot: order.indexOf(drainer.slot) }),
  };
}

/** Nearly all have: asked without a list of the codes. */
function hasSortedSlots(state: State): boolean {
  let before = Number.NEGATIVE_INFINITY;
  for (let slot = 0; slot < state.wakeUps.length; slot++) {
    const code = slotCode(state, state.wakeUps[slot] as number, slot);
    if (code < before) return false;
    before = code;
  }
  return true;
}

/** By its wake-up, then by the drainers that hold it: nobody, the first, both, the second. */
function slotCode({ drainers }: State, wakeUp: number, slot: number): number {
  const first = drainers[0]?.slot === slot;
  const second = drainers[1]?.slot === slot;
  return 4 * wakeUp + (first ? (second ? 2 : 1) : second ? 3 : 0);
}

function sortFans(state: State): State {
  const [a, b] = state.fans;
  if (!b || (a && fanCode(a) <= fanCode(b))) return state;
  return { ...state, fans: [b, a] };
}

const LEFT = new Key();
const RIGHT = new Key();

function compareDrainers(a: Drainer, b: Drainer): number {
  return drainerCode(a) - drainerCode(b) || compareKeys(keyOfDrainer(a, LEFT), keyOfDrainer(b, RIGHT));
}

function keyOfDrainer(drainer: Drainer, key: Key): Key {
  key.length = 0;
  addDrainer(key, drainer);
  return key;
}

function compareKeys(a: Key, b: Key): number {
  for (let n = 0; n < a.length && n < b.length; n++) {
    if (a.units[n] !== b.units[n]) return (a.units[n] as number) - (b.units[n] as number);
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
const FAN_STEP: Readonly<Record<FanStep, number>> = { ack: 0, rows: 1, wakeUps: 2 };
const PUBLISHER_STEP = { idle: 0, put: 1, send: 2, direct: 3 } as const;
const REPLAY_STEP: Readonly<Record<Replayer['step'], number>> = { record: 0, row: 1, wakeUp: 2, write: 3, note: 4 };

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

/** Its lists are ended by a zero, so that a shorter one comes first. */
function addDrainer(key: Key, drainer: Drainer): void {
  key.add(drainerCode(drainer));
  key.add(readCode(drainer.read));
  for (const pointer of drainer.page) key.add(1 + pointerCode(pointer));
  key.add(0);
  for (const pointer of drainer.hand) key.add(1 + pointerCode(pointer));
  key.add(0);
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

/** A message, then its rows, ended by a zero. */
function addMessage(key: Key, message: Message): void {
  const { stored, jobs, fanned, maySend, failed, sentGen, rows } = message;
  key.add(Number(stored) + 2 * (Number(fanned) + 2 * (jobs + 3 * recordCode(message))));
  key.add(maySend + 16 * (failed + 16 * sentGen));
  for (const row of rows) key.add(1 + rowCode(row));
  key.add(0);
}

function personCode(person: Replayer | undefined): number {
  return person ? 1 + Number(person.counted) + 2 * (person.gen + 8 * REPLAY_STEP[person.step]) : 0;
}

/** A key that tells all states apart, but for their budgets. */
export function writeKey(state: State, key: Key): void {
  const { publisher, fans, wakeUps, drainers, people, fresh, purged } = state;
  let slots = 0;
  for (const wakeUp of wakeUps) slots = 5 * slots + (wakeUp < 2 ? wakeUp + 2 : 4);
  key.add(
    PUBLISHER_STEP[publisher.step] +
      4 * (publisher.tries + 4 * Number(publisher.acked)) +
      32 * (slots + 125 * (Number(fresh) + 2 * (fanCode(fans[0]) + 13 * fanCode(fans[1])))),
  );
  key.add(runtimeCode(state.runtime) + 65_536 * peopleCode(state.runtime));
  key.add(personCode(people[0]) + 81 * (personCode(people[1]) + 81 * Number(purged)));
  for (const message of state.messages) addMessage(key, message);
  for (const drainer of drainers) drainer ? addDrainer(key, drainer) : key.add(-1);
}
