/**
 * The life of one recorded event from `pending` onward: retries, parking, pause, dead letters with their DLQ message,
 * redrive, replay, drain. Checks the invariants in every state and step, and that a settled state can always be
 * reached by steps that are neither a fault nor a person's. That finds "stuck forever", not an unfair scheduler.
 */
import type { Model } from '#test/proof/model/explorer/model.ts';
import { canonicalState, writeKey } from './lifecycle-key.ts';
import { lateRequestActor, pauseActor, peopleActor, timeActor } from './lifecycle-people.ts';
import { processorActor } from './lifecycle-processor.ts';
import type { LifecycleRules } from './lifecycle-rules.ts';
import { type Budget, copiesInQueue, FRESH, isOver, type LifeRecord, type State } from './lifecycle-state.ts';
import { sweeperActor } from './lifecycle-sweeper.ts';

const NOTHING_HAPPENS: Budget = {
  crash: 0,
  lostReply: 0,
  zombie: 0,
  replay: 0,
  redrive: 0,
  pause: 0,
  duplicate: 0,
  breaker: 0,
  payloadMissing: 0,
  close: 0,
};

/** The lifecycle model. `outage`: it may also start with copies only, because DynamoDB was down at ingest. */
export function lifecycleModel(rules: LifecycleRules, budget: Partial<Budget>, outage = false): Model<State> {
  return {
    starts: initialStates(rules, { ...NOTHING_HAPPENS, ...budget }, outage),
    actors: [
      processorActor(rules, 0),
      processorActor(rules, 1),
      ...Array.from({ length: rules.sweepers }, (_, me) => sweeperActor(rules, me)),
      timeActor,
      lateRequestActor(rules),
      pauseActor(rules),
      peopleActor(rules),
    ],
    key: writeKey,
    budget: 'budget',
    canonical: state => canonicalState(state, rules),
    stopAtFirst: true,
    mustReach: [{ rule: 'STUCK FOR EVER', from: () => true, goal: state => isSettled(state, rules) }],
    brokenIn: state => (state.record && !owesWhatItShows(state.record, rules) ? I8 : undefined),
    brokenBy: (from, to, action) => (undoesATerminalStatus(from, to, action) ? I4 : undefined),
    describe: describeState,
  };
}

const I8 = 'I8 WATCH OR EXPIRY DOES NOT MATCH WHAT IS OWED';
const I4 = 'I4 A TERMINAL EVENT WAS UNDONE';

/** The states in which the life after ingest may begin; the first is "recorded, never sent". */
function initialStates(rules: LifecycleRules, budget: Budget, outage = false): readonly State[] {
  const unsent: State = {
    record: FRESH,
    queue: { current: 0, redriven: 0, older: 0, afterDeath: 0 },
    consumers: [undefined, undefined],
    sweeps: Array.from({ length: rules.sweepers }, () => undefined),
    request: undefined,
    operators: [undefined, undefined],
    closer: undefined,
    dlq: { current: 0, earlierDeath: 0, older: 0 },
    paused: false,
    neighbour: rules.neighbour,
    budget,
  };
  const enqueued: LifeRecord = { ...FRESH, enqueued: true };
  const withCopies = (count: number): State => ({ ...unsent, queue: { ...unsent.queue, current: count } });
  const recorded = [unsent, withCopies(1), { ...withCopies(1), record: enqueued }, { ...unsent, record: enqueued }];
  const onlyCopies = [withCopies(1), withCopies(2)].map(state => ({ ...state, record: undefined }));
  const leftover: State = { ...unsent, record: { ...enqueued, status: 'completed', expires: true, effects: 1 } };
  return [...recorded, ...(outage ? onlyCopies : []), ...(rules.leftoverWatch ? [leftover] : [])];
}

/** Invariant I8: something owed (not terminal, or dead and not in the DLQ) ⇔ watched ⇔ no expiry. */
function owesWhatItShows(record: LifeRecord, rules: LifecycleRules): boolean {
  const owed = record.status === 'dead' ? !record.dlqSent : !isOver(record);
  const watched = record.watch !== 'none';
  return (owed === watched || (watched && rules.leftoverWatch)) && owed !== record.expires;
}

/** Invariant I4: only a replay leaves `completed` and `closed`; a redrive or a closing leaves `dead`, too. */
function undoesATerminalStatus(from: State, to: State, action: string): boolean | undefined {
  const before = from.record?.status;
  const after = to.record?.status;
  if (before === after || action.includes('writes the replay')) return false;
  return (from.record && isOver(from.record)) || (before === 'dead' && !/revives|closes/.test(action));
}

function isSettled(state: State, rules: LifecycleRules): boolean {
  const { record, dlq } = state;
  const busy = copiesInQueue(state.queue) > 0 || state.consumers.some(c => c) || state.sweeps.some(s => s);
  if (!record || busy) return false;
  if (rules.neighbour) return !state.neighbour;
  if (dlq.earlierDeath > 0 || dlq.older > 0 || record.watch !== 'none') return false;
  if (isOver(record)) return dlq.current === 0;
  return record.status === 'dead' && record.dlqSent && dlq.current > 0;
}

/** One line for people: the record's attributes, the messages in both queues, the pause. */
function describeState(state: State): string {
  const { record, queue, dlq } = state;
  const item = record
    ? Object.entries(record)
        .filter(([name]) => name !== 'successorSent' && name !== 'effects')
        .map(([name, value]) => `${name}=${value}`)
        .join(' ')
    : 'no record';
  return `${item}; queue=${JSON.stringify(queue)} dlq=${JSON.stringify(dlq)}${state.paused ? ' paused' : ''}`;
}
