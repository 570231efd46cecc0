/** People at the endpoint's gate in the outbound model, and what ends behind it: pause, resume, enable, delete, retention. */
import { type Actor, certain, possible, type Step } from '#test/proof/model/explorer/model.ts';
import { enabledBy, peopleAct, wakeOf } from './outbound-people.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { isOwed, isShut, overRows, type State, sendWakeUp, setRuntime, spend, VISIBLE } from './outbound-state.ts';

export function gateActor(rules: OutboundRules): Actor<State> {
  return state => [
    ...resumes(state, rules),
    ...grows(state, rules),
    ...auditOfOldRows(state, rules),
    ...enables(state, rules),
    ...(rules.people === 'one' ? closes(state) : peopleAct(state, rules)),
    ...deletes(state),
  ];
}

/** W13. Whoever pauses also resumes. */
function resumes(state: State, rules: OutboundRules): readonly Step<State>[] {
  const { runtime } = state;
  if (runtime.gate !== 'paused' || rules.disabledForGood || rules.people !== 'one') return [];
  return [certain('person', 'resumes', setRuntime(state, { gate: 'open', wake: wakeOf(runtime, rules) }))];
}

/** Time again: a message grows older than the retention. */
function grows(state: State, rules: OutboundRules): readonly Step<State>[] {
  const { runtime, budget } = state;
  const { disabledForGood, refused } = rules;
  // What an endpoint refuses for good is all that a probe can ask: that ends by the retention, too.
  const onlyRefused = runtime.breaker && state.messages.every((it, m) => !isOwed(it) || (refused & (1 << m)) !== 0);
  const fair = disabledForGood || (refused !== 0 && onlyRefused);
  if (budget.expire === 0 && !fair) return [];
  return state.messages.flatMap((message, m) => {
    const isOld = (runtime.old & (1 << m)) !== 0;
    if (message.rows.length === 0 || isOld) return [];
    if (budget.expire === 0 && !isShut(runtime.gate) && !onlyRefused) return [];
    const to = setRuntime(fair ? state : spend(state, 'expire'), { old: runtime.old | (1 << m) });
    return [{ actor: 'time', action: `m${m} is older than the retention`, fair, to }];
  });
}

function auditOfOldRows(state: State, rules: OutboundRules): readonly Step<State>[] {
  const { runtime, wakeUps } = state;
  if (!rules.expiry || !rules.audit || !isShut(runtime.gate) || runtime.leased) return [];
  if (wakeUps.includes(VISIBLE) || overRows(state).length === 0) return [];
  return [certain('tend', 'audit finds an old row, sends a wake-up', sendWakeUp(state))];
}

/** W15, and the backlog dropped if asked. */
function enables(state: State, rules: OutboundRules): readonly Step<State>[] {
  const { runtime, budget } = state;
  if (runtime.gate !== 'disabled' || rules.disabledForGood || rules.people !== 'one') return [];
  const enabled = setRuntime(state, enabledBy(runtime, rules));
  const steps = [certain('person', 'enables', enabled)];
  if (budget.drop === 0) return steps;
  const drop = state.messages.reduce((bits, message, m) => (message.stored ? bits | (1 << m) : bits), 0);
  return [...steps, possible('person', 'enables and drops the backlog', setRuntime(spend(enabled, 'drop'), { drop }))];
}

/** W12. */
function closes(state: State): readonly Step<State>[] {
  const { runtime, budget } = state;
  if (runtime.gate !== 'open' || budget.pause === 0) return [];
  const paused = setRuntime(spend(state, 'pause'), { gate: 'paused', wake: 'none' });
  return [possible('person', 'pauses', paused)];
}

/** W16. */
function deletes(state: State): readonly Step<State>[] {
  const { runtime, budget } = state;
  if (runtime.gate === 'deleted' || budget.delete === 0) return [];
  const gone = { gate: 'deleted', gateBy: '', kept: false, hold: false, wake: 'due' } as const;
  return [possible('person', 'deletes the endpoint', setRuntime(spend(state, 'delete'), gone))];
}
