/** Publish and fan-out of the outbound model: message, job, 202; then rows, wake-ups, and the job is deleted. */
import { type Actor, certain, possible, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import type { OutboundRules } from './outbound-rules.ts';
import {
  addRow,
  type Fan,
  messageOf,
  mustNote,
  note,
  type Publisher,
  type State,
  sendWakeUp,
  setMessage,
  spend,
} from './outbound-state.ts';

/** The publish function and the producer that calls it, for message 0. */
export function publisherActor(rules: OutboundRules): Actor<State> {
  return state => {
    const { publisher, budget } = state;
    const list: Step<State>[] = [];
    const to = (from: State, changes: Partial<Publisher>): State => ({
      ...from,
      publisher: { ...publisher, ...changes },
    });
    const sure = (action: string, next: State) => list.push(certain('publish', action, next));
    const fault = (action: string, next: State) => list.push(possible('publish', action, next));

    if (publisher.step === 'idle') {
      if (publisher.tries > 0 && !publisher.acked) {
        fault('is called', to(state, { tries: publisher.tries - 1, step: 'put' }));
      }
      if (publisher.acked && budget.duplicate > 0)
        fault('is called once more', to(spend(state, 'duplicate'), { step: 'put' }));
      return list;
    }
    if (budget.crash > 0) fault(`CRASHES at ${publisher.step}`, to(spend(state, 'crash'), { step: 'idle' }));
    if (publisher.step === 'put') {
      if (rules.answersAfter === 'nothing') sure('answers 202', to(state, { acked: true }));
      // Refused because it is there, with our body: our own repeated write or an earlier request. Go on either way.
      const stored = setMessage(state, 0, { stored: true });
      if (rules.answersAfter === 'message') {
        sure('stores the message, answers 202', to(stored, { acked: true, step: 'send' }));
      } else sure('stores the message', to(stored, { step: 'send' }));
      return list;
    }
    if (publisher.step === 'direct' && mustNote(state, rules, 'after')) {
      sure('notes it late', note(state, rules));
      return list;
    }
    if (publisher.step === 'direct') {
      if (rules.direct === 'rows, 202, wake-ups') {
        sure('sends the wake-up late', to(sendWakeUp(state), { step: 'idle' }));
      } else if (rules.direct === 'wake-ups, rows, 202') {
        sure('puts the row late, answers 202', to(withRow(state), { acked: true, step: 'idle' }));
      } else sure('sends the wake-up itself, answers 202', to(sendWakeUp(state), { acked: true, step: 'idle' }));
      if (budget.error > 0)
        fault('cannot go on itself: will send the job', to(spend(state, 'error'), { step: 'send' }));
      return list;
    }
    if (mustNote(state, rules, 'before')) sure('notes that rows come', note(state, rules));
    else if (rules.direct === 'rows, wake-ups, 202')
      sure('puts the row itself', to(withRow(state), { step: 'direct' }));
    if (rules.direct === 'rows, 202, wake-ups') {
      sure('puts the row itself, answers 202', to(withRow(state), { acked: true, step: 'direct' }));
    }
    if (rules.direct === 'wake-ups, rows, 202')
      sure('sends the wake-up first', to(sendWakeUp(state), { step: 'direct' }));
    const queued = setMessage(state, 0, { jobs: Math.min(2, messageOf(state, 0).jobs + 1) });
    sure('sends the fan-out job, answers 202', to(queued, { acked: true, step: 'idle' }));
    if (budget.error > 0) fault('job refused, answers 503', to(spend(state, 'error'), { step: 'idle' }));
    return list;
  };
}

/** The same put as fan-out's, for message 0. */
function withRow(state: State): State {
  const put = addRow(state, 0, { kind: 'A', gen: 1, n: 1, due: 'reached' });
  return setMessage(put, 0, { fanned: true });
}

/** Fan-out number `me`. */
export function fanOutActor(rules: OutboundRules, me: number): Actor<State> {
  const name = `fan-out ${me}`;
  return state => {
    const fan = state.fans[me];
    return fan ? work(rules, state, { me, name, fan }) : takeJob(rules, state, { me, name });
  };
}

function takeJob(
  rules: OutboundRules,
  state: State,
  { me, name }: { me: number; name: string },
): readonly Step<State>[] {
  if (state.fans.slice(0, me).includes(undefined)) return [];
  return state.messages.flatMap((message, m) => {
    if (message.jobs === 0) return [];
    const fan: Fan = { step: rules.fanOrder[0] ?? 'ack', message: m, holds: true };
    const taken = setMessage(state, m, { jobs: message.jobs - 1 });
    return [certain(name, `takes the job of m${m}`, { ...taken, fans: replaceAt(state.fans, me, fan) })];
  });
}

function work(
  rules: OutboundRules,
  state: State,
  { me, name, fan }: { me: number; name: string; fan: Fan },
): readonly Step<State>[] {
  const list: Step<State>[] = [];
  const to = (from: State, next: Fan | undefined): State => ({ ...from, fans: replaceAt(state.fans, me, next) });
  const { budget } = state;
  if (budget.crash > 0) {
    const jobs = Math.min(2, messageOf(state, fan.message).jobs + Number(fan.holds));
    const back = spend(setMessage(state, fan.message, { jobs }), 'crash');
    list.push(possible(name, `CRASHES at ${fan.step}`, to(back, undefined)));
  }
  if (budget.zombie > 0 && fan.holds) {
    const jobs = Math.min(2, messageOf(state, fan.message).jobs + 1);
    const back = spend(setMessage(state, fan.message, { jobs }), 'zombie');
    list.push(possible(name, 'visibility ends while it runs', to(back, { ...fan, holds: false })));
  }
  const step = rules.fanOrder[rules.fanOrder.indexOf(fan.step) + 1];
  const following = step && { ...fan, step };
  if (fan.step === 'rows' && mustNote(state, rules, 'before')) {
    list.push(certain(name, 'notes that rows come', note(state, rules)));
  } else if (fan.step === 'wakeUps' && mustNote(state, rules, 'after')) {
    list.push(certain(name, 'notes it late', note(state, rules)));
  } else if (fan.step === 'rows') {
    const put = addRow(state, fan.message, { kind: 'A', gen: 1, n: 1, due: 'reached' });
    const fanned = setMessage(put, fan.message, { fanned: true });
    list.push(certain(name, `puts the row of m${fan.message}`, to(fanned, following)));
  } else if (fan.step === 'wakeUps') {
    list.push(certain(name, 'sends the wake-up', to(sendWakeUp(state), following)));
  } else list.push(certain(name, 'deletes its job', to(state, following && { ...following, holds: false })));
  return list;
}
