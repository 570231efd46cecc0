/**
 * State of the ingest model: one event, from the provider's first try until it is completed or dead. Time has no
 * numbers: a lease or a visibility timeout may end at any moment, so every order that real clocks give is explored.
 */
import { replaceAt, type Step } from './explorer/model.ts';
import type { Key } from './explorer/state-table.ts';

/** The rules under test. The defaults in `PROTOCOL` are the protocol; each bad variant changes one of them. */
export interface IngestRules {
  /** resend: the protocol. naive: a known id is answered 200. compensate: naive, and a failed send deletes the record. queue-first: send, then record. */
  readonly ingest: 'resend' | 'naive' | 'compensate' | 'queue-first';
  /** A duplicate of what may be unsent: sent again; or left to the sweeper, where its request may still be at work. */
  readonly duplicateOfPending: 'is sent' | 'may be left';
  readonly consumer: 'protocol' | 'ack-in-progress' | 'unfenced' | 'delete-on-error';
  readonly effect: 'transaction' | 'external';
  /**
   * Whether a delivery may run its handler without a claim (docs/decisions/what-needs-no-claim.md), and what the completion then requires: that
   * nobody has begun, or nothing.
   */
  readonly unclaimed: 'never' | 'if nobody has begun' | 'completes whatever is there';
  readonly sweepUnsent: boolean;
  /** Where the queue has a backlog, the sweeper takes an unclaimed event as sent: the overdue row looks again later. */
  readonly backlogCountsAsSent: boolean;
  readonly sweepOverdue: boolean;
  /** The writer recognises its own SDK retry: by `ingestId` at ingest, by the owner token at the claim. */
  readonly knowsOwnPut: boolean;
  readonly knowsOwnClaim: boolean;
  readonly onQueueError: 'ack' | 'refuse';
  /** While DynamoDB is down, the queue message alone carries the event. */
  readonly queueOnlyFallback: boolean;
  /**
   * What a call that was aborted with its limit is taken for. It may have been applied, or be applied later. Taken for not
   * applied, what came before it is undone; taken for applied, nothing is done in its place.
   */
  readonly aborted: 'unknown' | 'not applied' | 'applied';
  /** The queue's own redrive to the DLQ after this number of receives; 0: receives decide nothing. */
  readonly redriveAfterReceives: number;
}

export const PROTOCOL: IngestRules = {
  ingest: 'resend',
  duplicateOfPending: 'may be left',
  consumer: 'protocol',
  effect: 'transaction',
  unclaimed: 'never',
  sweepUnsent: true,
  backlogCountsAsSent: true,
  sweepOverdue: true,
  knowsOwnPut: true,
  knowsOwnClaim: true,
  onQueueError: 'ack',
  queueOnlyFallback: true,
  aborted: 'unknown',
  redriveAfterReceives: 0,
};

/** How often each fault may still happen in one run. */
export interface Faults {
  readonly crash: number;
  /** A write or send was applied, its reply lost, and the SDK retried. */
  readonly lostReply: number;
  readonly storeDown: number;
  readonly queueError: number;
  /** A call is ended with the limit of its work: applied before, applied later, or never. */
  readonly aborted: number;
  /** A lease or visibility timeout ends while its owner lives on. */
  readonly zombie: number;
  readonly handlerError: number;
  /** The 200 was written but never reached the provider. */
  readonly lostAnswer: number;
  readonly purge: number;
}

export const ONE_OF_EACH: Faults = {
  crash: 1,
  lostReply: 1,
  storeDown: 0,
  queueError: 1,
  aborted: 0,
  zombie: 1,
  handlerError: 1,
  lostAnswer: 1,
  purge: 0,
};

/** What a consumer slot, message holder or owner is when it is not a consumer number. */
export const NOBODY = -1;
export const GONE = -2;
/** The record was created by a consumer, not by a request. */
export const NO_REQUEST = -1;

/** One running ingest request: what it does next. */
export interface Ingest {
  readonly next: 'put' | 'send' | 'send-unrecorded' | 'delete-record' | 'put-after-send';
  readonly request: number;
}

/** The state item. `waiting` stands for failed and deferred. */
export interface EventRecord {
  readonly status: 'pending' | 'processing' | 'waiting' | 'completed';
  /** Known to be sent, or taken as sent: only the sweeper notes it. */
  readonly enqueued: boolean;
  readonly ingestId: number;
  readonly leased: boolean;
  readonly owner: number;
}

/** One copy in the queue; `holder` is the consumer it is hidden for. */
export interface Copy {
  readonly hidden: boolean;
  readonly receives: number;
  readonly holder: number;
}

/** One busy consumer: what it does next, and the slot of its copy (GONE: that copy is no longer its own). */
export interface Consumer {
  readonly next: 'claim' | 'run' | 'complete' | 'record-error' | 'delete' | 'complete-unclaimed';
  readonly slot: number;
}

export interface State {
  readonly triesLeft: number;
  readonly duplicatesLeft: number;
  readonly acknowledged: boolean;
  readonly requests: number;
  /** Kept sorted: the order of running requests means nothing. */
  readonly ingests: readonly Ingest[];
  readonly record: EventRecord | undefined;
  /** The request whose aborted put is on its way and may still be applied; NO_REQUEST: none. */
  readonly flyingPut: number;
  /** A fixed number of slots: copies beyond them are dropped, which only makes losses more likely. */
  readonly queue: readonly (Copy | undefined)[];
  readonly inDlq: boolean;
  readonly consumers: readonly (Consumer | undefined)[];
  readonly effects: number;
  readonly faults: Faults;
}

export function initialState(faults: Faults): State {
  return {
    triesLeft: 2,
    duplicatesLeft: 1,
    acknowledged: false,
    requests: 0,
    ingests: [],
    record: undefined,
    flyingPut: NO_REQUEST,
    queue: [undefined, undefined],
    inDlq: false,
    consumers: [undefined, undefined],
    effects: 0,
    faults,
  };
}

/** Collects what one actor may do in one state. */
export class Steps {
  readonly list: Step<State>[] = [];
  readonly state: State;
  readonly actor: string;
  constructor(state: State, actor: string) {
    this.state = state;
    this.actor = actor;
  }
  /** Without a cause nothing prevents the step forever. A fault is spent by it; a `choice` is the provider's. */
  add(action: string, changes: Partial<State>, cause?: keyof Faults | 'choice'): void {
    const fault = cause === 'choice' ? undefined : cause;
    const to = { ...this.state, ...changes };
    this.list.push({
      actor: this.actor,
      action,
      fair: cause === undefined,
      to: fault ? { ...to, faults: { ...to.faults, [fault]: to.faults[fault] - 1 } } : to,
    });
  }
}

/** The queue with one more visible copy, if a slot is free. */
export function withCopy(queue: State['queue']): State['queue'] {
  const free = queue.indexOf(undefined);
  return free < 0 ? queue : replaceAt(queue, free, { hidden: false, receives: 0, holder: NOBODY });
}

/** Consumers whose copy in `slot` is gone keep running without it. */
export function withoutSlot(consumers: State['consumers'], slot: number | 'any'): State['consumers'] {
  return consumers.map(c => (c && (slot === 'any' || c.slot === slot) ? { ...c, slot: GONE } : c));
}

export function pendingRecord(ingestId: number, enqueued: boolean): EventRecord {
  return { status: 'pending', enqueued, ingestId, leased: false, owner: NOBODY };
}

const PLACES = { put: 0, send: 1, 'send-unrecorded': 2, 'delete-record': 3, 'put-after-send': 4 } as const;
const STATUSES = { pending: 0, processing: 1, waiting: 2, completed: 3 } as const;
const CONSUMER_STEPS = {
  claim: 0,
  run: 1,
  complete: 2,
  'record-error': 3,
  delete: 4,
  'complete-unclaimed': 5,
} as const;

export function ingestRank(ingest: Ingest): number {
  return PLACES[ingest.next] * 4 + ingest.request;
}

function ingestCode(ingest: Ingest | undefined): number {
  return ingest ? 1 + ingestRank(ingest) : 0;
}

function copyCode(copy: Copy | undefined, swapped = false): number {
  return copy ? 1 + (named(copy.holder, swapped) + 2) + 4 * (copy.receives + 4 * Number(copy.hidden)) : 0;
}

function consumerCode(consumer: Consumer | undefined, swapped = false): number {
  return consumer ? 1 + (named(consumer.slot, swapped) + 2) + 4 * CONSUMER_STEPS[consumer.next] : 0;
}

function recordCode(record: EventRecord | undefined): number {
  if (!record) return 0;
  const claim = 4 * Number(record.leased) + record.owner + 2;
  return 1 + claim + 8 * (Number(record.enqueued) + 2 * (STATUSES[record.status] + 4 * (record.ingestId + 1)));
}

/** A key that tells all states apart, but for their faults (the ranges are those of `initialState`: at most 3 requests, 2 slots). */
export function writeKey(state: State, key: Key): void {
  const provider = state.triesLeft + 3 * (state.duplicatesLeft + 2 * (Number(state.acknowledged) + 2 * state.requests));
  const ingests = ingestCode(state.ingests[0]) + 32 * ingestCode(state.ingests[1]);
  key.add(provider + 64 * (state.effects + 4 * (Number(state.inDlq) + 2 * ingests)));
  key.add(recordCode(state.record) + 1_024 * (copyCode(state.queue[0]) + 64 * copyCode(state.queue[1])));
  const consumers = consumerCode(state.consumers[0]) + 32 * consumerCode(state.consumers[1]);
  key.add(consumers + 1_024 * (state.flyingPut + 1));
}

/** Nobody tells the consumers apart, nor the slots of the queue: of the four ways to name them the one with the least code. */
export function symmetricState(state: State): State {
  let best = 0;
  let least = codeAs(state, 0);
  for (let way = 1; way < 4; way++) {
    const code = codeAs(state, way);
    if (code >= least) continue;
    best = way;
    least = code;
  }
  return best === 0 ? state : renamed(state, (best & 1) !== 0, (best & 2) !== 0);
}

/** The lower bit of `way`: consumers swapped; the higher: slots. */
function codeAs({ consumers, queue, record }: State, way: number): number {
  const me = way & 1;
  const slot = way >> 1;
  const busy = consumerCode(consumers[me], slot === 1) + 32 * consumerCode(consumers[1 - me], slot === 1);
  const copies = copyCode(queue[slot], me === 1) + 64 * copyCode(queue[1 - slot], me === 1);
  return busy + 1_024 * (copies + 4_096 * (record ? named(record.owner, me === 1) + 2 : 0));
}

function renamed(state: State, me: boolean, slots: boolean): State {
  const consumers = state.consumers.map(it => it && { ...it, slot: named(it.slot, slots) });
  const queue = state.queue.map(it => it && { ...it, holder: named(it.holder, me) });
  const { record } = state;
  return {
    ...state,
    consumers: me ? consumers.reverse() : consumers,
    queue: slots ? queue.reverse() : queue,
    record: record && { ...record, owner: named(record.owner, me) },
  };
}

/** Of two that are swapped, or not. */
function named(it: number, swapped: boolean): number {
  return swapped && it >= 0 ? 1 - it : it;
}
