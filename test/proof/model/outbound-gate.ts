/** People at the endpoint's gate in the outbound model, and what ends behind it: pause, resume, enable, delete, retention. */
import { type Actor, certain, possible, type Step } from './explore.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { isShut, overRows, type Runtime, type State, sendToken, setRuntime, spend, VISIBLE } from './outbound-state.ts';

export function gateActor(rules: OutboundRules): Actor<State> {
  return state => [
    ...resumes(state, rules),
    ...grows(state, rules),
    ...auditOfOldRows(state, rules),
    ...enables(state, rules),
    ...closes(state),
  ];
}

function wakeOf(runtime: Runtime, rules: OutboundRules): Runtime['wake'] {
  return rules.resumeWakes ? 'due' : runtime.wake;
}

/** W13. Whoever pauses also resumes. */
function resumes(state: State, rules: OutboundRules): readonly Step<State>[] {
  const { runtime } = state;
  if (runtime.gate !== 'paused' || rules.disabledForGood) return [];
  return [certain('person', 'resumes', setRuntime(state, { gate: 'open', wake: wakeOf(runtime, rules) }))];
}

/** Time again: a message grows older than the retention. */
function grows(state: State, rules: OutboundRules): readonly Step<State>[] {
  const { runtime, budget } = state;
  if (budget.expire === 0 && !rules.disabledForGood) return [];
  return state.messages.flatMap((message, m) => {
    const isOld = (runtime.old & (1 << m)) !== 0;
    if (message.rows.length === 0 || isOld || (budget.expire === 0 && !isShut(runtime.gate))) return [];
    const spent = rules.disabledForGood ? state : spend(state, 'expire');
    const to = setRuntime(spent, { old: runtime.old | (1 << m) });
    return [{ actor: 'time', action: `m${m} is older than the retention`, fair: rules.disabledForGood, to }];
  });
}

function auditOfOldRows(state: State, rules: OutboundRules): readonly Step<State>[] {
  const { runtime, tokens } = state;
  if (!rules.expiry || !rules.audit || !isShut(runtime.gate) || runtime.leased) return [];
  if (tokens.includes(VISIBLE) || overRows(state).length === 0) return [];
  return [certain('tend', 'audit finds an old row, sends a token', sendToken(state))];
}

/** W15, and the backlog dropped if asked. */
function enables(state: State, rules: OutboundRules): readonly Step<State>[] {
  const { runtime, budget } = state;
  if (runtime.gate !== 'disabled' || rules.disabledForGood) return [];
  const enabled = setRuntime(state, { gate: 'open', hold: false, wake: wakeOf(runtime, rules) });
  const steps = [certain('person', 'enables', enabled)];
  if (budget.drop === 0) return steps;
  const drop = state.messages.reduce((bits, message, m) => (message.stored ? bits | (1 << m) : bits), 0);
  return [...steps, possible('person', 'enables and drops the backlog', setRuntime(spend(enabled, 'drop'), { drop }))];
}

/** W12 and W16. */
function closes(state: State): readonly Step<State>[] {
  const { runtime, budget } = state;
  const steps: Step<State>[] = [];
  if (runtime.gate === 'open' && budget.pause > 0) {
    const paused = setRuntime(spend(state, 'pause'), { gate: 'paused', wake: 'none' });
    steps.push(possible('person', 'pauses', paused));
  }
  if (runtime.gate !== 'deleted' && budget.delete > 0) {
    const deleted = setRuntime(spend(state, 'delete'), { gate: 'deleted', hold: false, wake: 'due' });
    steps.push(possible('person', 'deletes the endpoint', deleted));
  }
  return steps;
}
