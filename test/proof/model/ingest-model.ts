/**
 * Ingest, send, claim, finish and sweep of one event under crashes, lost replies, queue errors, zombies and lost
 * answers. Shows that an acknowledged event is never lost and takes effect once, and that the obvious ways lose it.
 */
import { type Actor, type Model, replaceAt, type Step } from './explorer/model.ts';
import { consumerActor } from './ingest-consumer.ts';
import {
  type EventRecord,
  type Faults,
  type Ingest,
  type IngestRules,
  ingestRank,
  initialState,
  NO_REQUEST,
  NOBODY,
  pendingRecord,
  type State,
  Steps,
  symmetricState,
  withCopy,
  withoutSlot,
  writeKey,
} from './ingest-state.ts';

/** The model of one event under `rules`, with at most `faults` in one run. */
export function ingestModel(rules: IngestRules, faults: Faults): Model<State> {
  const handled = (state: State): boolean =>
    (state.record?.status === 'completed' && state.effects >= 1) || state.inDlq;
  return {
    starts: [initialState(faults)],
    actors: [provider, ingestActor(rules), network, sweeperActor(rules), queueActor(rules), consumerActor(rules)],
    key: writeKey,
    budget: 'faults',
    symmetric: symmetricState,
    stopAtFirst: false,
    mustReach: [
      { rule: 'LOST AFTER 200', from: state => state.acknowledged, goal: handled },
      { rule: 'RECORDED BUT NEVER HANDLED', from: state => state.record !== undefined, goal: handled },
    ],
    brokenIn: state => {
      if (state.effects >= 2) return 'EFFECT TWICE';
      if (state.inDlq && faults.handlerError === 0) return 'DLQ WITHOUT ANY HANDLER FAILURE';
      return undefined;
    },
    brokenBy: (from, to) =>
      from.record?.status === 'completed' && to.record?.status !== 'completed' ? 'COMPLETED UNDONE' : undefined,
    describe: state => JSON.stringify({ ...state, faults: undefined }),
  };
}

const provider: Actor<State> = state => {
  const steps = new Steps(state, 'provider');
  if (state.ingests.length === 2) return steps.list;
  const arrived = {
    ingests: sortedIngests([...state.ingests, { next: 'put', request: state.requests }]),
    requests: state.requests + 1,
  };
  if (!state.acknowledged && state.triesLeft > 0) {
    steps.add(`sends request ${state.requests}`, { ...arrived, triesLeft: state.triesLeft - 1 });
  }
  if (state.acknowledged && state.duplicatesLeft > 0) {
    const duplicatesLeft = state.duplicatesLeft - 1;
    steps.add(`sends a late duplicate ${state.requests}`, { ...arrived, duplicatesLeft }, 'choice');
  }
  return steps.list;
};

function sortedIngests(ingests: readonly Ingest[]): readonly Ingest[] {
  return ingests.slice().sort((a, b) => ingestRank(a) - ingestRank(b));
}

function ingestActor(rules: IngestRules): Actor<State> {
  return state => state.ingests.flatMap((ingest, index) => ingestSteps(rules, state, ingest, index));
}

function ingestSteps(rules: IngestRules, state: State, ingest: Ingest, index: number): readonly Step<State>[] {
  const { record, faults } = state;
  const steps = new Steps(state, `request ${ingest.request}`);
  const others = state.ingests.filter((_, i) => i !== index);
  const goTo = (next: Ingest['next']) => ({ ingests: sortedIngests([...others, { ...ingest, next }]) });

  /** The end of a request. A 200 may be lost on the wire: the provider then does not know. */
  const answer = (action: string, ok: boolean, changes: Partial<State>, fault?: keyof Faults): void => {
    const end = { ingests: others, ...changes };
    if (!ok) {
      steps.add(`${action}, answers 5xx`, end, fault);
      return;
    }
    steps.add(`${action}, answers 200`, { ...end, acknowledged: true }, fault);
    if (faults.lostAnswer === 0) return;
    const left = fault ? { ...faults, [fault]: faults[fault] - 1 } : faults;
    steps.add(`${action}, answers 200 (lost)`, { ...end, faults: left }, 'lostAnswer');
  };
  const recordExists = (existing: EventRecord, action: string, fault?: keyof Faults): void => {
    const ours = rules.knowsOwnPut && existing.ingestId === ingest.request;
    // A request does not note its send, so this one may have been sent; what the sweeper noted is the sweeper's.
    const perhapsUnsent = existing.status === 'pending' && !existing.enqueued;
    if (rules.ingest === 'resend' && (ours || perhapsUnsent)) {
      steps.add(`${action}: exists, sends again`, { ...goTo('send'), record: existing }, fault);
      // While the request that put it may be at work, it is left to that one and to the sweeper.
      if (!ours && rules.duplicateOfPending === 'may be left')
        answer(`${action}: exists`, true, { record: existing }, fault);
    } else answer(`${action}: exists`, true, { record: existing }, fault);
  };

  if (faults.crash > 0 && ingest.next !== 'put') {
    steps.add(`crashes before ${ingest.next}`, { ingests: others }, 'crash');
  }
  switch (ingest.next) {
    case 'put': {
      if (rules.ingest === 'queue-first') {
        steps.add('sends', { ...goTo('put-after-send'), queue: withCopy(state.queue) });
        if (faults.queueError > 0) answer('send fails', false, {}, 'queueError');
        if (faults.lostReply > 0) {
          const twice = withCopy(withCopy(state.queue));
          steps.add('sends, reply lost, sends again', { ...goTo('put-after-send'), queue: twice }, 'lostReply');
        }
        break;
      }
      if (record) recordExists(record, 'puts');
      else {
        const created = pendingRecord(ingest.request, false);
        steps.add('puts', { ...goTo('send'), record: created });
        if (faults.lostReply > 0) recordExists(created, 'puts, reply lost, SDK retries', 'lostReply');
      }
      if (faults.storeDown > 0) {
        if (rules.ingest === 'resend' && rules.queueOnlyFallback) {
          steps.add('store down: goes on with the queue only', goTo('send-unrecorded'), 'storeDown');
        } else answer('store down', false, {}, 'storeDown');
      }
      if (faults.aborted > 0) {
        const goesOn = goTo(rules.aborted === 'applied' ? 'send' : 'send-unrecorded');
        if (!record) {
          const created = pendingRecord(ingest.request, false);
          steps.add('puts, aborted', { ...goesOn, record: created }, 'aborted');
          if (state.flyingPut === NO_REQUEST)
            steps.add('put aborted, on its way', { ...goesOn, flyingPut: ingest.request }, 'aborted');
        }
        steps.add('put aborted, never applied', goesOn, 'aborted');
      }
      break;
    }
    case 'put-after-send':
      answer('puts', true, { record: record ?? pendingRecord(ingest.request, true) });
      if (faults.storeDown > 0) answer('put fails, ignored', true, {}, 'storeDown');
      break;
    case 'send':
    case 'send-unrecorded': {
      answer('sends', true, { queue: withCopy(state.queue) });
      if (faults.queueError > 0) {
        if (ingest.next === 'send-unrecorded' || rules.ingest === 'naive')
          answer('send fails', false, {}, 'queueError');
        else if (rules.ingest === 'compensate') {
          steps.add('send fails: will compensate', goTo('delete-record'), 'queueError');
        } else answer('send fails', rules.onQueueError === 'ack', {}, 'queueError');
      }
      if (faults.aborted > 0) {
        for (const [how, queue] of [
          ['applied', withCopy(state.queue)],
          ['not applied', state.queue],
        ] as const) {
          if (rules.aborted === 'not applied')
            steps.add(`send aborted, ${how}: takes the record back`, { ...goTo('delete-record'), queue }, 'aborted');
          else {
            const safe = rules.aborted === 'applied' || (ingest.next === 'send' && rules.onQueueError === 'ack');
            answer(`send aborted, ${how}`, safe, { queue }, 'aborted');
          }
        }
      }
      break;
    }
    case 'delete-record':
      answer('deletes the record', false, { record: undefined });
      break;
  }
  return steps.list;
}

/** What was aborted on its way may still arrive: at any time, or never. */
const network: Actor<State> = state => {
  const { flyingPut, record } = state;
  if (flyingPut === NO_REQUEST) return [];
  const steps = new Steps(state, 'network');
  const arrived = { flyingPut: NO_REQUEST, record: record ?? pendingRecord(flyingPut, false) };
  steps.add(`brings the aborted put of request ${flyingPut}`, arrived, 'choice');
  return steps.list;
};

/** The sweeper, and the lease that runs out. */
function sweeperActor(rules: IngestRules): Actor<State> {
  return state => {
    const { record, queue, faults } = state;
    const steps = new Steps(state, 'sweeper');
    if (!record) return steps.list;
    const unsent = record.status === 'pending' && !record.enqueued;
    if (rules.sweepUnsent && unsent && queue.includes(undefined)) {
      steps.add('sends and marks', { queue: withCopy(queue), record: { ...record, enqueued: true } });
      if (faults.crash > 0) steps.add('sends, crashes before the mark', { queue: withCopy(queue) }, 'crash');
    }
    if (rules.backlogCountsAsSent && unsent) {
      steps.add('finds a backlog: takes the event as sent', { record: { ...record, enqueued: true } });
    }
    const waitsForCopy =
      (record.status === 'pending' && record.enqueued) ||
      ((record.status === 'processing' || record.status === 'waiting') && !record.leased);
    if (rules.sweepOverdue && waitsForCopy && queue.every(copy => !copy)) {
      steps.add('sends the overdue event again', { queue: withCopy(queue) });
    }
    if (record.status === 'processing' && record.leased) {
      const expired = { ...record, leased: false };
      if (record.owner < 0) steps.add('(the lease ends)', { record: expired });
      else if (faults.zombie > 0) steps.add('(the lease ends, its owner is frozen)', { record: expired }, 'zombie');
    }
    return steps.list;
  };
}

function queueActor(rules: IngestRules): Actor<State> {
  return state => {
    const { queue, consumers, faults } = state;
    const steps = new Steps(state, 'queue');
    if (faults.purge > 0 && queue.some(copy => copy)) {
      const empty = { queue: queue.map(() => undefined), consumers: withoutSlot(consumers, 'any') };
      steps.add('is purged', empty, 'purge');
    }
    queue.forEach((copy, slot) => {
      if (!copy) return;
      if (copy.hidden) {
        const visible = { queue: replaceAt(queue, slot, { ...copy, hidden: false, holder: NOBODY }) };
        if (copy.holder < 0) steps.add(`visibility of copy ${slot} ends`, visible);
        else if (faults.zombie > 0) steps.add(`visibility of copy ${slot} ends, consumer runs`, visible, 'zombie');
      } else if (rules.redriveAfterReceives > 0 && copy.receives >= rules.redriveAfterReceives) {
        const left = { queue: replaceAt(queue, slot, undefined), consumers: withoutSlot(consumers, slot) };
        steps.add(`moves copy ${slot} to the DLQ`, { ...left, inDlq: true });
      } else {
        const free = consumers.indexOf(undefined);
        if (free < 0) return;
        const receives = rules.redriveAfterReceives > 0 ? copy.receives + 1 : 0;
        steps.add(`gives copy ${slot} to consumer ${free}`, {
          queue: replaceAt(queue, slot, { hidden: true, receives, holder: free }),
          consumers: replaceAt(consumers, free, { next: 'claim', slot }),
        });
      }
    });
    return steps.list;
  };
}
