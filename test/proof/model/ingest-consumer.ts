/** The consumers of the ingest model: claim, run, finish, delete. */
import { type Actor, replaceAt, type Step } from './explorer/model.ts';
import {
  type Consumer,
  type Copy,
  type EventRecord,
  type Faults,
  GONE,
  type IngestRules,
  NO_REQUEST,
  NOBODY,
  type State,
  Steps,
  withoutSlot,
} from './ingest-state.ts';

export function consumerActor(rules: IngestRules): Actor<State> {
  return state =>
    state.consumers.flatMap((consumer, me) => (consumer ? consumerSteps(rules, state, consumer, me) : []));
}

function consumerSteps(rules: IngestRules, state: State, consumer: Consumer, me: number): readonly Step<State>[] {
  const { record, queue, consumers, faults } = state;
  const steps = new Steps(state, `consumer ${me}`);
  const copy = consumer.slot >= 0 ? queue[consumer.slot] : undefined;
  const holdsCopy = copy?.hidden === true && copy.holder === me;
  const goTo = (next: Consumer['next']) => ({ consumers: replaceAt(consumers, me, { ...consumer, next }) });

  /** What is left when this consumer ends: its copies and its claim have no live owner any more. */
  const leave = (left: readonly (Copy | undefined)[], written: EventRecord | undefined) => ({
    queue: left.map(c => (c?.holder === me ? { ...c, holder: GONE } : c)),
    record: written?.owner === me ? { ...written, owner: GONE } : written,
    consumers: replaceAt(consumers, me, undefined),
  });
  const reportFailure = (action: string, written: EventRecord | undefined, fault?: keyof Faults): void => {
    const visible =
      holdsCopy && copy ? replaceAt(queue, consumer.slot, { ...copy, hidden: false, holder: NOBODY }) : queue;
    steps.add(`${action}, reports failure`, leave(visible, written), fault);
  };
  const deleteCopy = (action: string, written: EventRecord | undefined, fault?: keyof Faults): void => {
    if (!copy) {
      steps.add(`${action}, nothing to delete`, leave(queue, written), fault);
      return;
    }
    const gone = leave(replaceAt(queue, consumer.slot, undefined), written);
    steps.add(`${action}, deletes its copy`, { ...gone, consumers: withoutSlot(gone.consumers, consumer.slot) }, fault);
    if (!holdsCopy) steps.add(`${action}, deletes with a stale handle, nothing happens`, leave(queue, written), fault);
  };

  if (faults.crash > 0) steps.add(`crashes before ${consumer.next}`, leave(queue, record), 'crash');
  const mine = record?.status === 'processing' && record.owner === me;
  const mayWrite = mine || rules.consumer === 'unfenced';
  const completed: EventRecord = {
    status: 'completed',
    enqueued: true,
    ingestId: record?.ingestId ?? NO_REQUEST,
    leased: false,
    owner: NOBODY,
  };
  const effects = Math.min(state.effects + 1, 3);
  switch (consumer.next) {
    case 'claim': {
      if (rules.unclaimed !== 'never') {
        if (rules.effect === 'transaction') steps.add('runs without a claim', goTo('complete-unclaimed'));
        else steps.add('calls outside without a claim', { ...goTo('complete-unclaimed'), effects });
      }
      const claimed: EventRecord = {
        status: 'processing',
        enqueued: true,
        ingestId: record?.ingestId ?? NO_REQUEST,
        leased: true,
        owner: me,
      };
      if (!record) steps.add('creates the record, claimed', { ...goTo('run'), record: claimed });
      else if (record.status === 'completed') deleteCopy('finds it completed', record);
      else if (record.status === 'processing' && record.leased) {
        if (rules.consumer === 'ack-in-progress') deleteCopy('finds it in progress', record);
        else reportFailure('finds it in progress', record);
      } else {
        steps.add('claims', { ...goTo('run'), record: claimed });
        if (faults.lostReply > 0) {
          const retried = 'claims, reply lost, own retry';
          if (rules.knowsOwnClaim) {
            steps.add(`${retried} recognised`, { ...goTo('run'), record: claimed }, 'lostReply');
          } else if (rules.consumer === 'ack-in-progress') {
            deleteCopy(`${retried} taken for another`, claimed, 'lostReply');
          } else reportFailure(`${retried} taken for another`, claimed, 'lostReply');
        }
        if (faults.aborted > 0) reportFailure('claims, aborted', claimed, 'aborted');
      }
      break;
    }
    case 'complete-unclaimed': {
      // A handler that fails, and a completion that is refused: the claim decides what becomes of it.
      const applies = rules.unclaimed === 'completes whatever is there' || record?.status === 'pending';
      if (!applies) {
        steps.add('cannot complete unclaimed: will claim', goTo('claim'));
        break;
      }
      const committed = rules.effect === 'transaction' ? { effects } : {};
      steps.add('commits effect and completion, unclaimed', { ...goTo('delete'), ...committed, record: completed });
      if (faults.lostReply > 0)
        steps.add(
          'completes unclaimed, reply lost, own retry refused: will claim',
          { ...goTo('claim'), ...committed, record: completed },
          'lostReply',
        );
      if (faults.handlerError > 0) steps.add('handler throws, unclaimed: will claim', goTo('claim'), 'handlerError');
      break;
    }
    case 'run':
      if (faults.handlerError > 0) steps.add('handler throws', goTo('record-error'), 'handlerError');
      if (rules.effect === 'external') steps.add('calls outside', { ...goTo('complete'), effects });
      else if (mayWrite) steps.add('commits effect and completion', { ...goTo('delete'), effects, record: completed });
      else reportFailure('has lost the lease', record);
      if (faults.aborted > 0 && rules.effect === 'transaction' && mayWrite) {
        const committed = { effects, record: completed };
        if (rules.aborted === 'not applied')
          steps.add('commits, aborted: runs the handler again', { ...goTo('run'), ...committed }, 'aborted');
        else if (rules.aborted === 'applied') {
          steps.add('commit aborted, never applied', goTo('delete'), 'aborted');
        } else steps.add('commits, aborted', { ...leave(queue, completed), effects }, 'aborted');
      }
      break;
    case 'complete':
      if (mayWrite) steps.add('completes', { ...goTo('delete'), record: completed });
      else reportFailure('has lost the lease', record);
      break;
    case 'record-error': {
      const waiting: EventRecord = { ...completed, status: 'waiting' };
      if (rules.consumer === 'delete-on-error') reportFailure('deletes the record', undefined);
      else if (mine || (record && rules.consumer === 'unfenced')) reportFailure('writes the retry', waiting);
      else reportFailure('has lost the lease', record);
      break;
    }
    case 'delete':
      deleteCopy('is done', record);
      break;
  }
  return steps.list;
}
