/** Everybody else in the lifecycle model: time, a late duplicate request, pause and resume, operators, redrive. */
import { type Actor, certain, possible, RuleBroken, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import type { LifecycleRules } from './lifecycle-rules.ts';
import {
  addCopy,
  changeGeneration,
  FRESH,
  type GenTag,
  type LifeRecord,
  type Operator,
  type State,
  sendCopy,
  spend,
  takeDlqMessage,
  writeRecord,
} from './lifecycle-state.ts';

/** A due time comes, a lease ends (while its owner lives: a zombie). */
export const timeActor: Actor<State> = state => {
  const { record } = state;
  const list: Step<State>[] = [];
  if (record?.due === 'ahead') {
    list.push(certain('time', 'the due time comes', { ...state, record: { ...record, due: 'reached' } }));
  }
  if (record?.status === 'processing' && record.leased) {
    const expired: State = { ...state, record: { ...record, leased: false } };
    if (record.owner < 0) list.push(certain('time', 'the lease ends', expired));
    else if (state.budget.zombie > 0) {
      list.push(possible('time', 'the lease ends, its owner lives on', spend(expired, 'zombie')));
    }
  }
  return list;
};

/** A request of the provider that comes late: by the table of ingest for an id that is known. */
export function lateRequestActor(rules: LifecycleRules): Actor<State> {
  const step = (action: string, to: State) => [possible('late request', action, to)];
  return state => {
    const { record, request } = state;
    if (!request) {
      if (state.budget.duplicate === 0) return [];
      const begun: State = { ...spend(state, 'duplicate'), request: { step: 'send', gen: 'current' } };
      if (!record) return step('puts the record', { ...begun, record: FRESH });
      return record.status === 'pending' && !record.enqueued ? step('reads: not enqueued', begun) : [];
    }
    return step('sends', { ...sendCopy(state, request.gen, rules), request: undefined });
  };
}

function markedRecord(record: LifeRecord | undefined, gen: GenTag): LifeRecord | undefined {
  return record?.status === 'pending' && gen === 'current' ? { ...record, enqueued: true } : record;
}

/** Whoever pauses, resumes: resuming is certain (except where a neighbour must get past the paused event). */
export function pauseActor(rules: LifecycleRules): Actor<State> {
  return state => {
    if (state.paused) {
      const { record } = state;
      const passed = rules.pauseWatch === 'far, one pass' && record?.watch === 'far';
      const resumed: State = { ...state, paused: false, record: passed ? { ...record, watch: 'near' } : record };
      return [{ actor: 'source', action: 'is resumed', fair: !rules.neighbour, to: resumed }];
    }
    return state.budget.pause > 0 ? [possible('source', 'is paused', { ...spend(state, 'pause'), paused: true })] : [];
  };
}

/** Two people who replay, one who redrives DLQ messages in the console, and one who closes deaths. */
export function peopleActor(rules: LifecycleRules): Actor<State> {
  return state => {
    const { record } = state;
    if (!record) return [];
    const list = state.operators.flatMap((operator, me) => operatorSteps(rules, state, record, operator, me));
    if (state.budget.redrive > 0) {
      for (const tag of ['current', 'earlierDeath', 'older'] as const) {
        if (state.dlq[tag] === 0) continue;
        const copy = tag === 'current' ? 'redriven' : tag === 'earlierDeath' ? 'current' : 'older';
        const moved = addCopy(takeDlqMessage(spend(state, 'redrive'), tag), copy);
        list.push(possible('person', `redrives a DLQ message (${tag})`, moved));
      }
    }
    return [...list, ...closingSteps(rules, state, record)];
  };
}

/** Reads a death, and later closes what is there if the rule allows it. */
function closingSteps(rules: LifecycleRules, state: State, record: LifeRecord): readonly Step<State>[] {
  const step = (action: string, to: State) => [possible('closer', action, to)];
  if (state.closer === undefined) {
    if (state.budget.close === 0 || record.status !== 'dead') return [];
    return step('reads the death', { ...spend(state, 'close'), closer: 'current' });
  }
  const done: State = { ...state, closer: undefined };
  const isTheDeath = record.status === 'dead' && state.closer === 'current';
  const allowed = isTheDeath || rules.closeIf === 'always' || (rules.closeIf === 'dead' && record.status === 'dead');
  if (!allowed) return step('finds another death, or none', done);
  if (!isTheDeath) throw new RuleBroken('I4 WHAT NOBODY READ AS DEAD WAS CLOSED');
  return step('closes the death', writeRecord(done, { ...record, status: 'closed', watch: 'none', expires: true }));
}

function operatorSteps(
  rules: LifecycleRules,
  state: State,
  record: LifeRecord,
  operator: Operator | undefined,
  me: number,
): readonly Step<State>[] {
  const put = (from: State, next: Operator): State => ({ ...from, operators: replaceAt(from.operators, me, next) });
  const step = (action: string, to: State) => possible('operator', action, to);
  const done: Operator = { step: 'end', gen: 'older' };
  if (!operator) {
    if (state.budget.replay === 0 || state.operators.indexOf(undefined) !== me) return [];
    return [step('reads the gen', put(spend(state, 'replay'), { step: 'replay', gen: 'current' }))];
  }
  switch (operator.step) {
    case 'replay': {
      if (operator.gen === 'older') return [step('gets 409', put(state, done))];
      const { expires, watch, dlqSent } = record;
      const pending = rules.replayClears ? FRESH : { ...FRESH, expires, watch, dlqSent };
      const replayed = changeGeneration(writeRecord(state, pending));
      const written = step('writes the replay', put(replayed, { step: 'send', gen: 'current' }));
      if (state.budget.lostReply === 0) return [written];
      const refused = put(spend(replayed, 'lostReply'), done);
      return [written, step('writes the replay, reply lost, own retry gets 409', refused)];
    }
    case 'send':
      return [step('sends', put(sendCopy(state, operator.gen, rules), { ...operator, step: 'mark' }))];
    case 'mark':
      return [step('marks', put({ ...state, record: markedRecord(record, operator.gen) }, done))];
    case 'end':
      return [];
  }
}
