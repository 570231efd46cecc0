/** The sweeper of the lifecycle model: first matching row, each read followed by its send and its write. */
import { type Actor, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import type { LifecycleRules } from './lifecycle-rules.ts';
import {
  addDlqMessage,
  copiesInQueue,
  die,
  isClaimable,
  isOver,
  type LifeRecord,
  RESEND_CAP,
  type State,
  type Sweep,
  type SweepStep,
  sendCopy,
  spend,
  takeDlqMessage,
  writeDeathDone,
  writeRecord,
} from './lifecycle-state.ts';

/** Sweeper number `me`: 0, or 1 where two may run at once. */
export function sweeperActor(rules: LifecycleRules, me: number): Actor<State> {
  return state => {
    const list: Step<State>[] = [];
    const add = (action: string, to: State, fair = true): void => {
      list.push({ actor: rules.sweepers === 1 ? 'sweeper' : `sweeper ${me}`, action, fair, to });
    };
    const sweep = state.sweeps[me];
    if (sweep && state.record) continueSweep(rules, state, state.record, me, sweep, add);
    else startSweep(rules, state, me, add);
    return list;
  };
}

type Add = (action: string, to: State, fair?: boolean) => void;

function rowFor(
  rules: LifecycleRules,
  state: State,
  record: LifeRecord,
): 'dead' | 'unsent' | 'parked' | 'overdue' | 'none' {
  if (record.status === 'dead' && !record.dlqSent) return rules.deadRow ? 'dead' : 'none';
  if (record.status === 'pending' && !record.enqueued) return rules.unsentRow ? 'unsent' : 'none';
  if (record.parked && record.due === 'reached') return rules.parkedRow && !state.paused ? 'parked' : 'none';
  if (!record.parked && isClaimable(record)) return rules.overdueRow.includes(record.status) ? 'overdue' : 'none';
  return 'none';
}

function startSweep(rules: LifecycleRules, state: State, me: number, add: Add): void {
  const { record, dlq } = state;
  const openDeadLetters = Number(record?.status === 'dead') + rules.expiredDlqMessagesCounted;
  if (rules.drainDlq && dlq.current + dlq.earlierDeath + dlq.older > openDeadLetters) {
    if (dlq.earlierDeath > 0) add('drains a DLQ message (earlierDeath)', takeDlqMessage(state, 'earlierDeath'));
    if (dlq.current > 0 && record?.status === 'closed' && rules.drainsClosed)
      add('drains a DLQ message (current)', takeDlqMessage(state, 'current'));
    if (dlq.older > 0) add('drains a DLQ message (older)', takeDlqMessage(state, 'older'));
  }
  const readsFar = rules.pauseWatch === 'far, read by every run' && !state.paused;
  const reads = record !== undefined && (record.watch === 'near' || (record.watch === 'far' && readsFar));
  const row = reads ? rowFor(rules, state, record) : 'none';
  const read = (step: SweepStep): State => setSweep(state, me, { step, what: 'current', fresh: true });
  if (row === 'dead') add('reads dead, not in the DLQ', read('dlq'));
  else if (row === 'unsent') add('reads pending, unsent', read('unsent-send'));
  else if (row === 'parked') add('reads parked, due', read(rules.sendBeforeUnpark ? 'parked-send' : 'parked-clear'));
  else if (row === 'overdue' && copiesInQueue(state.queue) === 0) {
    add('reads overdue', read(record && record.resends >= RESEND_CAP ? 'unclaimable' : 'overdue-send'));
  } else if (reads && row === 'none' && rules.catchAllRow) catchAll(rules, state, record, add, read);
  if (state.neighbour && (record?.watch !== 'near' || row !== 'none' || rules.catchAllRow)) {
    add('gets past this event to its neighbour', { ...state, neighbour: false });
  }
}

function catchAll(
  rules: LifecycleRules,
  state: State,
  record: LifeRecord,
  add: Add,
  read: (step: SweepStep) => State,
): void {
  if (isOver(record) || (record.status === 'dead' && record.dlqSent)) {
    if (rules.sweepers === 2) add('catch-all: reads nothing owed', read('remove-watch'));
    else add('catch-all: nothing owed, removes watch', writeRecord(state, { ...record, watch: 'none' }));
  } else if (rules.pauseWatch !== 'soon' && state.paused && record.parked && record.due === 'reached') {
    if (rules.sweepers === 2) add('catch-all: reads parked and due, paused', read('move-far'));
    else add('catch-all: paused, moves watchAt far', writeRecord(state, { ...record, watch: 'far' }));
  }
}

/** The next step of a sweeper that has read the record; `record` is what is there now, not what it read. */
function continueSweep(
  rules: LifecycleRules,
  state: State,
  record: LifeRecord,
  me: number,
  sweep: Sweep,
  add: Add,
): void {
  const idle = setSweep(state, me, undefined);
  if (state.budget.crash > 0) add(`crashes before ${sweep.step}`, spend(idle, 'crash'), false);
  const goOn = (from: State, step: SweepStep): State => setSweep(from, me, { ...(from.sweeps[me] ?? sweep), step });
  const write = (written: LifeRecord): State => setSweep(writeRecord(state, written), me, undefined);
  switch (sweep.step) {
    case 'dlq':
      add(`sends to the DLQ (${sweep.what})`, goOn(addDlqMessage(state, sweep.what), 'done'));
      break;
    case 'done':
      add('writes death-done', writeDeathDone(idle, record, sweep.what, rules));
      break;
    case 'unsent-send':
      add('sends', goOn(sendCopy(state, sweep.what, rules), 'unsent-mark'));
      break;
    case 'unsent-mark': {
      const marks = record.status === 'pending' && sweep.what === 'current';
      const marked: LifeRecord = { ...record, enqueued: true };
      if (rules.markIfPending) add('marks enqueued', marks ? write(marked) : idle);
      else add('marks enqueued, whatever is there', write({ ...marked, watch: 'near' }));
      break;
    }
    case 'parked-send': {
      const sent = sendCopy(state, sweep.what, rules);
      add('sends', rules.sendBeforeUnpark ? goOn(sent, 'parked-clear') : setSweep(sent, me, undefined));
      break;
    }
    case 'parked-clear': {
      const clears = (sweep.fresh && record.parked) || !rules.unparkIfUnchanged;
      // Only the other sweeper must notice: this one has the item as it wrote it.
      const cleared: LifeRecord = { ...record, parked: false, watch: 'near' };
      const to = clears ? setSweep(writeRecord(state, cleared), me, sweep) : state;
      add('clears parked', rules.sendBeforeUnpark ? setSweep(to, me, undefined) : goOn(to, 'parked-send'));
      break;
    }
    case 'overdue-send':
      add('re-sends', goOn(sendCopy(state, sweep.what, rules), 'overdue-bump'));
      break;
    case 'overdue-bump':
      if (sweep.fresh || !rules.bumpIfUnchanged) {
        const resends = Math.min(RESEND_CAP, record.resends + 1);
        add('counts the re-send, moves watchAt', write({ ...record, resends, watch: 'near' }));
      } else add('finds the record changed', idle);
      break;
    case 'unclaimable':
      if (sweep.fresh || !rules.unclaimableIfUnchanged) {
        const dead = setSweep(die(idle, record), me, { step: 'dlq', what: 'current', fresh: false });
        add('writes dead_letter, unclaimable', dead);
      } else add('finds the record changed', idle);
      break;
    case 'move-far':
      if (sweep.fresh || !rules.moveFarIfUnchanged) add('moves watchAt far', write({ ...record, watch: 'far' }));
      else add('finds the record changed', idle);
      break;
    case 'remove-watch':
      if (sweep.fresh || !rules.removeWatchIfUnchanged) add('removes the watch', write({ ...record, watch: 'none' }));
      else add('finds the record changed', idle);
      break;
  }
}

function setSweep(state: State, me: number, sweep: Sweep | undefined): State {
  return { ...state, sweeps: replaceAt(state.sweeps, me, sweep) };
}
