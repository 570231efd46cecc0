/** An operator and a customer at one gate in the outbound model: what an operator closed stays as it is for a customer. */
import { certain, possible, type Step } from '#test/proof/model/explorer/model.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { type Gate, type Person, type Runtime, type State, setRuntime, spend } from './outbound-state.ts';

const PEOPLE: readonly Person[] = ['operator', 'customer'];

/** W12, W13 and W15. Each may close what is closed already, in another way. Whoever may open it does, some time. */
export function peopleAct(state: State, rules: OutboundRules): readonly Step<State>[] {
  return PEOPLE.flatMap(by => [...opens(state, rules, by), ...closes(state, rules, by)]);
}

function opens(state: State, rules: OutboundRules, by: Person): readonly Step<State>[] {
  const { runtime } = state;
  const { gate, gateBy, kept } = runtime;
  const refused = by === 'customer' && gateBy === 'operator' && rules.people !== 'two, a customer opens it';
  if (refused || rules.disabledForGood || (gate !== 'paused' && gate !== 'disabled')) return [];
  const people = { gateBy: '', kept: kept && by === 'customer' } as const;
  if (gate === 'disabled') {
    return [certain(by, 'enables', setRuntime(state, { ...enabledBy(runtime, rules), ...people }))];
  }
  return [certain(by, 'resumes', setRuntime(state, { gate: 'open', wake: wakeOf(runtime, rules), ...people }))];
}

function closes(state: State, rules: OutboundRules, by: Person): readonly Step<State>[] {
  const { runtime, budget } = state;
  const { gate, gateBy, kept } = runtime;
  const refused = by === 'customer' && gateBy === 'operator' && rules.people === 'two';
  if (refused || budget.pause === 0 || gate === 'deleted') return [];
  const close = (to: Gate, action: string): Step<State> => {
    const closed = { gate: to, gateBy: by, kept: kept || by === 'operator', wake: 'none' } as const;
    return possible(by, action, setRuntime(spend(state, 'pause'), closed));
  };
  const pauses = gate === 'open' || (gate === 'paused' && gateBy !== by);
  const disables = gate !== 'disabled' || gateBy !== by;
  return [...(pauses ? [close('paused', 'pauses')] : []), ...(disables ? [close('disabled', 'disables by hand')] : [])];
}

export function wakeOf(runtime: Runtime, rules: OutboundRules): Runtime['wake'] {
  return rules.resumeWakes ? 'due' : runtime.wake;
}

/** The first request after it is a probe. */
export function enabledBy(runtime: Runtime, rules: OutboundRules): Partial<Runtime> {
  return { gate: 'open', hold: false, wake: wakeOf(runtime, rules), breaker: rules.probe !== 'no', probes: 0 };
}
