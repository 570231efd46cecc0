/**
 * State of the outbound model: one endpoint, one or two messages, and three levels, each repaired from the one above.
 * A record is the truth about one delivery; a row in the endpoint's own partition says "look at this delivery"; a wake-up
 * in a queue says "this endpoint may have rows that are due". Time has no numbers: a lease, a delay or a visibility
 * timeout may end at any moment once it may end at all.
 */
import { replaceAt } from '#test/proof/model/explorer/model.ts';
import type { FanStep, OutboundRules } from './outbound-rules.ts';

/** Copies of wake-ups told apart. */
export const SLOTS = 3;

export const NOBODY = -1;
/** The owner of the lease died. */
export const GONE = 9;
/** A wake-up slot is FREE, VISIBLE, LOST (its holder died), or has the number of the drainer that holds it. */
export const FREE = -2;
export const VISIBLE = -1;
export const LOST = 9;

export type Status = 'pending' | 'retrying' | 'delivered' | 'dead' | 'ended';

/** One delivery. `ended`: dropped, canceled or expired. */
export interface DeliveryRecord {
  readonly gen: number;
  readonly status: Status;
  /** Recorded failures of this generation. */
  readonly attempts: number;
}

/** A: first attempt. B: retry. C: replay (in the table a B key as well). Lanes are read in this order. */
export type RowKind = 'A' | 'B' | 'C';

export interface Row {
  readonly kind: RowKind;
  readonly gen: number;
  readonly n: number;
  readonly due: 'ahead' | 'reached';
}

export interface Message {
  readonly stored: boolean;
  /** Fan-out jobs of it that are visible. */
  readonly jobs: number;
  readonly record: DeliveryRecord | undefined;
  readonly rows: readonly Row[];
  /** Ghost: a row was put once. */
  readonly fanned: boolean;
  /** Ghost: requests that have a cause. One, and one more for each failure, replay, and crash or lost lease in a request. */
  readonly maySend: number;
  /** Ghost: failures seen. */
  readonly failed: number;
  /** Ghost: the newest generation that was sent. */
  readonly sentGen: number;
}

export interface Publisher {
  readonly step: 'idle' | 'put' | 'send' | 'direct';
  readonly tries: number;
  /** Ghost: the producer heard 202. */
  readonly acked: boolean;
}

export interface Fan {
  readonly step: FanStep;
  readonly message: number;
  /** Its job is still hidden for it. */
  readonly holds: boolean;
}

/** A row as a session read it: of which message, and what it was then. */
export interface Pointer {
  readonly message: number;
  readonly row: Row;
}

export type DrainerStep =
  | 'got'
  | 'rows'
  | 'lease'
  | 'pass on'
  | 'query'
  | 'look'
  | 'check'
  | 'sent'
  | 'late-record'
  | 'late-failure'
  | 'put'
  | 'delete'
  | 'disable'
  | 'release'
  | 'recheck'
  | 'ack';

/** Why a session stops, how a request in the air ended so far, or what the release found. */
export type Why =
  | ''
  | 'fresh'
  | 'ahead'
  | 'hold'
  | 'opens'
  | 'probed'
  | 'gone'
  | 'closed'
  | 'batch ok'
  | 'batch bad'
  | 'none'
  | 'wake'
  | Broken;

/** It failed, and when the endpoint is to be looked at again beside its wake-up: not, at the next row, after a hold. */
export type Broken = 'broken' | 'broken, ahead' | 'broken, hold';

export type Gate = 'open' | 'paused' | 'disabled' | 'deleted';

/** What a session read before it takes the lease: the item, and perhaps the rows (in `page`). */
export interface ReadBefore {
  readonly owner: number;
  readonly wake: Runtime['wake'];
  readonly rows: boolean;
  /** A row was due later. */
  readonly ahead: boolean;
}

export interface Drainer {
  readonly step: DrainerStep;
  readonly slot: number;
  /** Rows of the page that are still to be done. */
  readonly page: readonly Pointer[];
  /** The row at work; of a request, all of its rows that are not recorded yet. */
  readonly hand: readonly Pointer[];
  readonly why: Why;
  /** The gate as this session read it last. */
  readonly gate: Gate | '';
  /** Ghost: its lease ended while it lived. */
  readonly robbed: boolean;
  /** The breaker is open, and nothing has succeeded yet: its one request is a probe. */
  readonly probing: boolean;
  readonly read?: ReadBefore | undefined;
}

export type Person = 'operator' | 'customer';

/** The endpoint's runtime item. */
export interface Runtime {
  /** A drainer's number, NOBODY or GONE. */
  readonly owner: number;
  readonly leased: boolean;
  readonly gate: Gate;
  /** Who closed it, where the model tells people apart. */
  readonly gateBy: '' | Person;
  /** Ghost: an operator closed it, and no operator opened it since. */
  readonly kept: boolean;
  readonly hold: boolean;
  /** The breaker is open. */
  readonly breaker: boolean;
  /** Probes that failed, up to the number of messages: which row the next one takes. */
  readonly probes: number;
  readonly wake: 'none' | 'ahead' | 'due';
  /** Messages (bits) from before `dropBefore`; counts for the first generation only. */
  readonly drop: number;
  /** Messages (bits) that are older than the retention. */
  readonly old: number;
  /** An eventually consistent read may still see the lease that was given back. */
  readonly recent: boolean;
}

/** A person between reading the record and waking the endpoint. */
export interface Replayer {
  readonly step: 'note' | 'write' | 'row' | 'record' | 'wakeUp';
  /** The generation as read. */
  readonly gen: number;
  /** This request has its generation, and its note where that is put with it. Ghost: so it has its cause. */
  readonly counted: boolean;
}

/** How often each fault and each deed of a person may still happen in one run (at most three times). */
export interface Budget {
  readonly crash: number;
  readonly lost: number;
  readonly zombie: number;
  readonly error: number;
  readonly fail: number;
  readonly throttled: number;
  readonly breaker: number;
  readonly gone: number;
  readonly pause: number;
  readonly delete: number;
  readonly drop: number;
  readonly expire: number;
  readonly replay: number;
  readonly duplicate: number;
  readonly purge: number;
}

export interface State {
  readonly publisher: Publisher;
  readonly messages: readonly Message[];
  readonly fans: readonly (Fan | undefined)[];
  readonly wakeUps: readonly number[];
  readonly drainers: readonly (Drainer | undefined)[];
  readonly runtime: Runtime;
  readonly people: readonly (Replayer | undefined)[];
  /** A note of the application, or the end of a session, lies within the hours that the endpoint check goes by. */
  readonly fresh: boolean;
  /** Ghost: the queues were. */
  readonly purged: boolean;
  readonly budget: Budget;
}

export function spend(state: State, what: keyof Budget): State {
  return { ...state, budget: { ...state.budget, [what]: state.budget[what] - 1 } };
}

export function messageOf(state: State, m: number): Message {
  return state.messages[m] as Message;
}

export function setMessage(state: State, m: number, changes: Partial<Message>): State {
  return { ...state, messages: replaceAt(state.messages, m, { ...messageOf(state, m), ...changes }) };
}

export function setRuntime(state: State, changes: Partial<Runtime>): State {
  return { ...state, runtime: { ...state.runtime, ...changes } };
}

export function setDrainer(state: State, me: number, drainer: Drainer | undefined): State {
  return { ...state, drainers: replaceAt(state.drainers, me, drainer) };
}

export function setWakeUp(state: State, slot: number, value: number): State {
  return { ...state, wakeUps: replaceAt(state.wakeUps, slot, value) };
}

export function isSameKey(a: Row, b: Row): boolean {
  return a.kind === b.kind && a.gen === b.gen && a.n === b.n;
}

/** A plain put: the same key is the same row. */
export function addRow(state: State, m: number, row: Row): State {
  const { rows } = messageOf(state, m);
  if (rows.some(it => isSameKey(it, row))) return state;
  return setMessage(state, m, { rows: [...rows, row].sort(byKey) });
}

export function deleteRow(state: State, m: number, row: Row): State {
  return setMessage(state, m, { rows: messageOf(state, m).rows.filter(it => !isSameKey(it, row)) });
}

function byKey(a: Row, b: Row): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.gen - b.gen || a.n - b.n;
}

/** One visible wake-up stands for several: a second one would only wake once more. */
export function sendWakeUp(state: State): State {
  return state.wakeUps.includes(VISIBLE) ? state : addWakeUp(state);
}

/** Whoever puts a row, or gives a lease back, says so; only where the endpoint check goes by it. */
export function note(state: State, rules: OutboundRules): State {
  return rules.noted === 'no' || state.fresh ? state : { ...state, fresh: true };
}

/** Whether rows must be noted now: before they are put, or after. */
export function mustNote(state: State, rules: OutboundRules, when: 'before' | 'after'): boolean {
  return !state.fresh && rules.noted.startsWith(`${when} the row`);
}

/** One more visible wake-up, if a slot is free. */
export function addWakeUp(state: State): State {
  const free = state.wakeUps.indexOf(FREE);
  return free < 0 ? state : setWakeUp(state, free, VISIBLE);
}

export function isFinal(record: DeliveryRecord | undefined): boolean {
  return record?.status === 'delivered' || record?.status === 'dead' || record?.status === 'ended';
}

/** Ghost: each of these messages may be sent once more. */
export function excuse(state: State, messages: Iterable<number>): State {
  let excused = state;
  for (const m of messages) excused = setMessage(excused, m, { maySend: messageOf(excused, m).maySend + 1 });
  return excused;
}

/** Somebody must still end this delivery. */
export function isOwed(message: Message): boolean {
  return message.fanned && !isFinal(message.record);
}

export function isShut(gate: Gate | ''): boolean {
  return gate === 'paused' || gate === 'disabled';
}

/** This row is dropped, or older than the retention. */
export function isOver(state: State, { message, row }: Pointer): boolean {
  const { old, drop } = state.runtime;
  const bit = 1 << message;
  return (old & bit) !== 0 || ((drop & bit) !== 0 && row.gen === 1);
}

export function allRows(state: State): readonly Pointer[] {
  return state.messages.flatMap((it, message) => it.rows.map(row => ({ message, row })));
}

/** Rows that end behind a shut gate, too. */
export function overRows(state: State): readonly Pointer[] {
  const { old, drop } = state.runtime;
  return old || drop ? allRows(state).filter(it => isOver(state, it)) : [];
}

/** What the queue partition shows now: due rows in the order of their lanes, and whether any is due later. */
export function dueRows(state: State, rules: OutboundRules): { due: readonly Pointer[]; ahead: boolean } {
  const all = allRows(state);
  if (rules.ordered) return headOf(all, rules);
  const due = all.filter(it => it.row.due === 'reached').sort(byLane);
  return { due, ahead: due.length < all.length };
}

function headOf(all: readonly Pointer[], rules: OutboundRules): { due: readonly Pointer[]; ahead: boolean } {
  const live = all.filter(it => it.row.kind === 'A');
  for (const pointer of live.length > 0 ? live : all) {
    if (pointer.row.due === 'reached') return { due: [pointer], ahead: false };
    if (rules.headWaits) return { due: [], ahead: true };
  }
  return { due: [], ahead: live.length > 0 };
}

function byLane(a: Pointer, b: Pointer): number {
  if (a.row.kind !== b.row.kind) return a.row.kind < b.row.kind ? -1 : 1;
  return a.message - b.message;
}
