/**
 * State of the lifecycle model: the life of one recorded event from `pending` onward. Messages are told apart only as
 * far as the rules can tell them apart. Time has no numbers: a lease, a delay or a visibility timeout may end at any
 * moment once it may end at all.
 */
import { RuleBroken, replaceAt } from '#test/proof/model/explorer/model.ts';
import type { LifecycleRules, Status } from './lifecycle-rules.ts';

export type { Status };

/** Attempts before an event dies (production: 15). */
export const ATTEMPT_BUDGET = 2;
/** Sweeper re-sends without a claim before `unclaimable` (production: 24). */
export const RESEND_CAP = 1;
/** Copies of one kind told apart in a queue; further ones are dropped. Older ones can only be deleted: one is enough. */
const COPIES = 2;
const OLDER_COPIES = 1;

export const NOBODY = -1;
export const GONE = -2;

/** The state item. */
export interface LifeRecord {
  readonly status: Status;
  /** Known to be sent, or taken as sent: noted by the sweeper, a replay and the processor's own puts, never by ingest. */
  readonly enqueued: boolean;
  readonly attempts: number;
  /** A consumer's number, GONE (it died) or NOBODY. */
  readonly owner: number;
  readonly leased: boolean;
  /** `nextAttemptAt`: absent, in the future, reached. */
  readonly due: 'none' | 'ahead' | 'reached';
  readonly parked: boolean;
  /** near: in the watch index, or an arrival that the sweeper has not passed yet (see arrivals-model.ts). */
  readonly watch: 'none' | 'near' | 'far';
  readonly dlqSent: boolean;
  readonly expires: boolean;
  readonly resends: number;
  /** Ghost: a copy was sent since the last write that unclaimed the record. */
  readonly successorSent: boolean;
  /** Ghost: effects in this generation. */
  readonly effects: number;
}

/** A copy: of this generation; of this generation with the record's deadId; of an older one; sent after the death. */
export type Tag = 'current' | 'redriven' | 'older' | 'afterDeath';
/** A DLQ message or pending DLQ write: the record's deadId, an earlier one of this generation, an older generation. */
export type DlqTag = 'current' | 'earlierDeath' | 'older';
export type GenTag = 'current' | 'older';

export interface Consumer {
  readonly step:
    | 'got'
    | 'park'
    | 'park-breaker'
    | 'upsert'
    | 'missing'
    | 'revive'
    | 'run'
    | 'unclaimed'
    | 'successor'
    | 'ack-first'
    | 'dlq'
    | 'done'
    | 'ack'
    | 'ack-unjustified';
  readonly tag: Tag;
  /** Its message is still hidden for it. */
  readonly holds: boolean;
  readonly dead: DlqTag | undefined;
}

/** A sweeper between its read and its last write. `fresh`: the record is as it was read. */
export interface Sweep {
  readonly step: SweepStep;
  readonly what: DlqTag;
  readonly fresh: boolean;
}
export type SweepStep =
  | 'dlq'
  | 'done'
  | 'unsent-send'
  | 'unsent-mark'
  | 'parked-send'
  | 'parked-clear'
  | 'overdue-send'
  | 'overdue-bump'
  | 'unclaimable'
  | 'move-far'
  | 'remove-watch';

/** A request that is about to send, for the generation it read. */
export interface LateRequest {
  readonly step: 'send';
  readonly gen: GenTag;
}
export interface Operator {
  readonly step: 'replay' | 'send' | 'mark' | 'end';
  readonly gen: GenTag;
}

/** How often each fault and each deed of a person may still happen in one run (at most twice). */
export interface Budget {
  readonly crash: number;
  readonly lostReply: number;
  readonly zombie: number;
  readonly replay: number;
  readonly redrive: number;
  readonly pause: number;
  readonly duplicate: number;
  readonly breaker: number;
  readonly payloadMissing: number;
  readonly close: number;
}

export interface State {
  readonly record: LifeRecord | undefined;
  readonly queue: Readonly<Record<Tag, number>>;
  readonly consumers: readonly (Consumer | undefined)[];
  readonly sweeps: readonly (Sweep | undefined)[];
  readonly request: LateRequest | undefined;
  readonly operators: readonly (Operator | undefined)[];
  /** The death that a person has read and is about to close. */
  readonly closer: DlqTag | undefined;
  readonly dlq: Readonly<Record<DlqTag, number>>;
  readonly paused: boolean;
  readonly neighbour: boolean;
  readonly budget: Budget;
}

export const FRESH: LifeRecord = {
  status: 'pending',
  enqueued: false,
  attempts: 0,
  owner: NOBODY,
  leased: false,
  due: 'none',
  parked: false,
  watch: 'near',
  dlqSent: false,
  expires: false,
  resends: 0,
  successorSent: false,
  effects: 0,
};

export function copiesInQueue(queue: State['queue']): number {
  return queue.current + queue.redriven + queue.older + queue.afterDeath;
}

export function spend(state: State, what: keyof Budget): State {
  return { ...state, budget: { ...state.budget, [what]: state.budget[what] - 1 } };
}

/** One more visible copy in the main queue. */
export function addCopy(state: State, tag: Tag): State {
  const cap = tag === 'older' ? OLDER_COPIES : COPIES;
  return { ...state, queue: { ...state.queue, [tag]: Math.min(cap, state.queue[tag] + 1) } };
}

export function takeCopy(state: State, tag: Tag): State {
  return { ...state, queue: { ...state.queue, [tag]: state.queue[tag] - 1 } };
}

export function addDlqMessage(state: State, tag: DlqTag, count = 1): State {
  const cap = tag === 'older' ? OLDER_COPIES : COPIES;
  return { ...state, dlq: { ...state.dlq, [tag]: Math.min(cap, state.dlq[tag] + count) } };
}

export function takeDlqMessage(state: State, tag: DlqTag): State {
  return { ...state, dlq: { ...state.dlq, [tag]: state.dlq[tag] - 1 } };
}

/** Sends a copy for the generation that the sender saw; notes that the record has a successor. */
export function sendCopy(state: State, gen: DlqTag, rules: LifecycleRules): State {
  if (gen !== 'current') return addCopy(state, 'older');
  const { record } = state;
  const sent = addCopy(state, rules.redriveBy === 'time' && record?.status === 'dead' ? 'afterDeath' : 'current');
  const waits = record && (record.status === 'pending' || record.status === 'failed' || record.status === 'deferred');
  return waits ? { ...sent, record: { ...record, successorSent: true } } : sent;
}

/** Any write to the record: what a sweeper read before is no longer what is there. */
export function writeRecord(state: State, record: LifeRecord): State {
  const sweeps = state.sweeps.some(sweep => sweep?.fresh)
    ? state.sweeps.map(sweep => (sweep?.fresh ? { ...sweep, fresh: false } : sweep))
    : state.sweeps;
  return { ...state, record, sweeps };
}

/** The record gets or loses its deadId: every message that carried it no longer matches. */
export function changeDeadId(state: State): State {
  const { queue, dlq } = state;
  const earlier = <T extends DlqTag | undefined>(tag: T) => (tag === 'current' ? 'earlierDeath' : tag);
  return {
    ...state,
    queue: {
      current: Math.min(COPIES, queue.current + queue.redriven + queue.afterDeath),
      redriven: 0,
      older: queue.older,
      afterDeath: 0,
    },
    dlq: { current: 0, earlierDeath: Math.min(COPIES, dlq.current + dlq.earlierDeath), older: dlq.older },
    sweeps: state.sweeps.map(sweep =>
      sweep && (sweep.step === 'dlq' || sweep.step === 'done') ? { ...sweep, what: earlier(sweep.what) } : sweep,
    ),
    consumers: state.consumers.map(
      c => c && { ...c, tag: c.tag === 'older' ? c.tag : 'current', dead: earlier(c.dead) },
    ),
    closer: earlier(state.closer),
  };
}

/** Replay: every message and every pending write of before belongs to an older generation. */
export function changeGeneration(state: State): State {
  const { queue, dlq } = state;
  const older = (count: number): number => Math.min(OLDER_COPIES, count);
  return {
    ...state,
    queue: { current: 0, redriven: 0, older: older(copiesInQueue(queue)), afterDeath: 0 },
    dlq: { current: 0, earlierDeath: 0, older: older(dlq.current + dlq.earlierDeath + dlq.older) },
    sweeps: state.sweeps.map(sweep => sweep && { ...sweep, what: 'older', fresh: false }),
    request: state.request && { ...state.request, gen: 'older' },
    operators: state.operators.map(operator => operator && { ...operator, gen: 'older' }),
    closer: state.closer && 'older',
    consumers: state.consumers.map(c => c && { ...c, tag: 'older', dead: c.dead && 'older' }),
  };
}

/** The write that makes the record a dead letter with a new deadId. */
export function die(state: State, record: LifeRecord): State {
  if (isOver(record)) throw new RuleBroken('I4 A TERMINAL EVENT WAS UNDONE');
  return changeDeadId(
    writeRecord(state, {
      ...record,
      status: 'dead',
      owner: NOBODY,
      leased: false,
      due: 'none',
      parked: false,
      watch: 'near',
      dlqSent: false,
      expires: false,
      successorSent: false,
    }),
  );
}

/** The death-done write by somebody who sent a DLQ message with `deadId`. */
export function writeDeathDone(
  state: State,
  record: LifeRecord,
  deadId: DlqTag | undefined,
  rules: LifecycleRules,
  writer?: number,
): State {
  const matches = record.status === 'dead' && deadId === 'current';
  const allowed =
    rules.deathDoneIf === 'always' || (matches && (rules.deathDoneIf === 'deadId' || record.owner === writer));
  return allowed ? writeRecord(state, { ...record, dlqSent: true, watch: 'none', expires: true }) : state;
}

/** Final, and no redrive changes it. */
export function isOver({ status }: LifeRecord): boolean {
  return status === 'completed' || status === 'closed';
}

export function isClaimable(record: LifeRecord): boolean {
  if (record.status === 'processing') return !record.leased;
  return !isOver(record) && record.status !== 'dead' && record.due !== 'ahead';
}

export function setConsumer(state: State, me: number, consumer: Consumer | undefined): State {
  return { ...state, consumers: replaceAt(state.consumers, me, consumer) };
}
