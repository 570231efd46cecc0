/** What SQS may do to the jobs and wake-ups of the outbound model, and what a person may do to the queues. */
import { type Actor, possible, type Step } from '#test/proof/model/explorer/model.ts';
import { addWakeUp, FREE, type State, setMessage, spend, VISIBLE } from './outbound-state.ts';

export const queuesActor: Actor<State> = state => {
  const { budget, wakeUps, messages } = state;
  const list: Step<State>[] = [];
  const visible = wakeUps.includes(VISIBLE);
  if (budget.duplicate > 0) {
    if (visible && wakeUps.includes(FREE)) {
      list.push(possible('SQS', 'delivers a wake-up twice', addWakeUp(spend(state, 'duplicate'))));
    }
    messages.forEach((message, m) => {
      if (message.jobs !== 1) return;
      list.push(possible('SQS', 'delivers a job twice', setMessage(spend(state, 'duplicate'), m, { jobs: 2 })));
    });
  }
  if (budget.purge > 0 && (visible || messages.some(message => message.jobs > 0))) {
    const empty: State = {
      ...spend(state, 'purge'),
      purged: true,
      wakeUps: wakeUps.map(wakeUp => (wakeUp === VISIBLE ? FREE : wakeUp)),
      messages: messages.map(message => ({ ...message, jobs: 0 })),
    };
    list.push(possible('person', 'PURGES the queues', empty));
  }
  return list;
};
