/** One representative for all lifecycle states that no rule can tell apart, and the key of a state. */
import type { Key } from '#test/proof/model/explorer/state-table.ts';
import type { LifecycleRules } from './lifecycle-rules.ts';
import {
  type Consumer,
  isOver,
  type LateRequest,
  type LifeRecord,
  type Operator,
  type State,
  type Sweep,
} from './lifecycle-state.ts';

/** Interchangeable actors are sorted; fields that nothing reads any more and writes that must be refused are dropped. */
export function canonicalState(state: State, rules: LifecycleRules): State {
  return sortConsumers(state.record ? dropDeadWeight(state, state.record, rules) : state);
}

function dropDeadWeight(state: State, record: LifeRecord, rules: LifecycleRules): State {
  const marks = (gen: string): boolean => !rules.markIfPending || (record.status === 'pending' && gen === 'current');
  const operators = state.operators.map(operator =>
    operator && (operator.step === 'end' || (operator.step === 'mark' && !marks(operator.gen))) ? undefined : operator,
  );
  return {
    ...state,
    record: withoutUnreadFields(record),
    operators: sorted(operators, operatorCode),
    sweeps: sorted(
      state.sweeps.map(sweep => sweep && dropRefusedSweep(sweep, marks, rules)),
      sweepCode,
    ),
  };
}

function withoutUnreadFields(record: LifeRecord): LifeRecord {
  if (isOver(record) || record.status === 'dead') {
    return { ...record, enqueued: true, attempts: 0, resends: 0, successorSent: false };
  }
  return record.status === 'pending' || record.enqueued ? record : { ...record, enqueued: true };
}

function dropRefusedSweep(sweep: Sweep, marks: (gen: string) => boolean, rules: LifecycleRules): Sweep | undefined {
  switch (sweep.step) {
    case 'unsent-mark':
      return marks(sweep.what) ? { ...sweep, fresh: false } : undefined;
    case 'parked-clear':
      return !sweep.fresh && rules.sendBeforeUnpark && rules.unparkIfUnchanged ? undefined : sweep;
    case 'overdue-bump':
      return !sweep.fresh && rules.bumpIfUnchanged ? undefined : sweep;
    case 'unclaimable':
      return !sweep.fresh && rules.unclaimableIfUnchanged ? undefined : sweep;
    case 'move-far':
      return !sweep.fresh && rules.moveFarIfUnchanged ? undefined : sweep;
    case 'remove-watch':
      return !sweep.fresh && rules.removeWatchIfUnchanged ? undefined : sweep;
    case 'dlq':
    case 'done':
    case 'unsent-send':
      return { ...sweep, fresh: false };
    case 'parked-send':
    case 'overdue-send':
      return sweep;
  }
}

function sortConsumers(state: State): State {
  const [a, b] = state.consumers;
  if (consumerCode(a) >= consumerCode(b)) return state;
  const { record } = state;
  const owner = record && record.owner >= 0 ? 1 - record.owner : record?.owner;
  return {
    ...state,
    consumers: [b, a],
    record: record && owner !== undefined ? { ...record, owner } : record,
  };
}

/** Highest code first, so that the idle ones come last. */
function sorted<T>(list: readonly T[], code: (item: T) => number): readonly T[] {
  const [a, b] = list;
  return list.length < 2 || code(a as T) >= code(b as T) ? list : [b as T, a as T];
}

const STATUS = { pending: 0, processing: 1, failed: 2, deferred: 3, completed: 4, dead: 5, closed: 6 } as const;
const DUE = { none: 0, ahead: 1, reached: 2 } as const;
const WATCH = { none: 0, near: 1, far: 2 } as const;
// The ranks of consumers and operators follow the order in which the reference models sort them, so that a run that
// stops at its first broken rule has interned as many states as there.
const TAG = { afterDeath: 0, older: 1, current: 2, redriven: 3 } as const;
const DLQ_TAG = { earlierDeath: 0, older: 1, current: 2 } as const;
const NO_DLQ_TAG = 3;
const OPERATOR_STEP = { send: 0, replay: 1, mark: 2, end: 3 } as const;
const CONSUMER_STEP = {
  upsert: 0,
  successor: 1,
  run: 2,
  // Told from `run` by the death it names, which neither has: the key has no room for one more.
  unclaimed: 2,
  revive: 3,
  'park-breaker': 4,
  park: 5,
  missing: 6,
  got: 7,
  done: 8,
  dlq: 9,
  'ack-unjustified': 10,
  'ack-first': 11,
  ack: 12,
} as const;
const SWEEP_STEP = {
  dlq: 0,
  done: 1,
  'unsent-send': 2,
  'unsent-mark': 3,
  'parked-send': 4,
  'parked-clear': 5,
  'overdue-send': 6,
  'overdue-bump': 7,
  unclaimable: 8,
  'move-far': 9,
  'remove-watch': 10,
} as const;

/** 0…416 */
function consumerCode(consumer: Consumer | undefined): number {
  if (!consumer) return 0;
  const named = consumer.dead ? DLQ_TAG[consumer.dead] : NO_DLQ_TAG;
  const dead = consumer.step === 'unclaimed' ? 0 : named;
  return 1 + dead + 4 * (Number(!consumer.holds) + 2 * (TAG[consumer.tag] + 4 * CONSUMER_STEP[consumer.step]));
}

/** 0…66 */
function sweepCode(sweep: Sweep | undefined): number {
  return sweep ? 1 + Number(sweep.fresh) + 2 * (DLQ_TAG[sweep.what] + 3 * SWEEP_STEP[sweep.step]) : 0;
}

/** 0…8 */
function operatorCode(operator: Operator | LateRequest | undefined): number {
  return operator ? 1 + Number(operator.gen === 'current') + 2 * OPERATOR_STEP[operator.step] : 0;
}

/** The record without its counters: 0…1,344 */
function recordCode(record: LifeRecord | undefined): number {
  if (!record) return 0;
  const flags =
    Number(record.leased) + 2 * (Number(record.parked) + 2 * (Number(record.dlqSent) + 2 * Number(record.expires)));
  return 1 + flags + 16 * (record.owner + 2 + 4 * (DUE[record.due] + 3 * STATUS[record.status]));
}

/** A key that tells all states apart (but for their budgets: attempts up to 7, effects up to 3). */
export function writeKey(state: State, key: Key): void {
  const { record, queue, dlq } = state;
  const counters = record
    ? Number(record.enqueued) +
      2 * (Number(record.successorSent) + 2 * (record.resends + 2 * (WATCH[record.watch] + 3 * record.effects)))
    : 0;
  const messages = queue.current + 3 * (queue.redriven + 3 * (queue.afterDeath + 3 * queue.older));
  const deadLetters = dlq.current + 3 * (dlq.earlierDeath + 3 * dlq.older);
  const closer = state.closer ? DLQ_TAG[state.closer] : NO_DLQ_TAG;
  key.add(recordCode(record) + 1350 * (record ? record.attempts : 0));
  key.add(counters + 128 * (messages + 54 * Number(state.paused)));
  key.add(
    consumerCode(state.consumers[0]) + 420 * (operatorCode(state.operators[0]) + 9 * operatorCode(state.operators[1])),
  );
  key.add(consumerCode(state.consumers[1]) + 420 * (operatorCode(state.request) + 9 * deadLetters));
  key.add(sweepCode(state.sweeps[0]) + 67 * (sweepCode(state.sweeps[1]) + 67 * (Number(state.neighbour) + 2 * closer)));
}
