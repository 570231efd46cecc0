/** Two persons who may replay message 0 in the outbound model: they read its record, write record and row, and wake. */
import { type Actor, certain, possible, RuleBroken, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import type { OutboundRules } from './outbound-rules.ts';
import {
  addRow,
  type DeliveryRecord,
  excuse,
  messageOf,
  mustNote,
  note,
  type Replayer,
  type Row,
  type State,
  sendWakeUp,
  setMessage,
  spend,
} from './outbound-state.ts';

export function replayActor(rules: OutboundRules): Actor<State> {
  return state => {
    const { record } = messageOf(state, 0);
    return state.people.flatMap((person, k) => {
      if (!person) return k === state.people.indexOf(undefined) ? asks(state, rules, k) : [];
      return record ? acts(state, rules, { person, k, record }) : [];
    });
  };
}

function asks(state: State, rules: OutboundRules, k: number): readonly Step<State>[] {
  const { record } = messageOf(state, 0);
  if (state.budget.replay === 0 || !record || state.runtime.gate === 'deleted') return [];
  const first = rules.requestKnown === 'noted before' ? 'note' : 'write';
  const asking: Replayer = { step: first, gen: record.gen, counted: false };
  return [possible('person', 'asks for a replay', to(spend(state, 'replay'), k, asking))];
}

interface Act {
  readonly person: Replayer;
  readonly k: number;
  readonly record: DeliveryRecord;
}

/** W17, in one transaction or as the variant says. */
function acts(state: State, rules: OutboundRules, { person, k, record }: Act): readonly Step<State>[] {
  const list: Step<State>[] = [];
  const { gen } = person;
  const sure = (action: string, next: State) => list.push(certain('replay', action, next));
  if (state.budget.crash > 0) {
    list.push(possible('replay', `CRASHES at ${person.step}`, to(spend(state, 'crash'), k, undefined)));
  }
  const once = person.counted ? state : excuse(state, [0]); // one request may lead to one more delivery
  const next = (rules.replayIf === 'always' ? record.gen : gen) + 1;
  const row: Row = { kind: 'C', gen: next, n: 1, due: 'reached' };
  const pending: DeliveryRecord = { gen: next, status: 'pending', attempts: 0 };
  const then = (step: Replayer['step']): Replayer => ({ step, gen, counted: true });
  const afterReplay = rules.requestKnown === 'noted after' ? 'note' : 'wakeUp';
  const asksAgain = (again: Replayer): void => {
    if (state.budget.lost === 0) return;
    list.push(possible('replay', 'the answer is lost, asked again', to(spend(state, 'lost'), k, again)));
  };
  switch (person.step) {
    case 'note':
      sure('note', to(state, k, { ...person, step: person.counted ? 'wakeUp' : 'write' }));
      if (person.counted) asksAgain({ step: 'write', gen: record.gen, counted: true });
      break;
    case 'write':
      if (mustNote(state, rules, 'before') && rules.noted === 'before the row') {
        sure('notes that rows come', note(state, rules));
      } else if (record.gen !== gen && rules.replayIf === 'generation') sure('refused, 409', to(state, k, undefined));
      else if (rules.replay === 'transaction') {
        sure('record and row', to(addRow(setMessage(once, 0, { record: pending }), 0, row), k, then(afterReplay)));
      } else if (rules.replay === 'record, row') {
        sure('record', to(setMessage(once, 0, { record: pending }), k, then('row')));
      } else sure('row', to(addRow(once, 0, row), k, then('record')));
      // Its note says that it was made.
      if (rules.requestKnown === 'noted before') asksAgain({ ...person, step: 'wakeUp' });
      break;
    case 'row':
      sure('row', to(addRow(state, 0, row), k, then('wakeUp')));
      break;
    case 'record':
      sure('record', to(setMessage(state, 0, { record: pending }), k, then('wakeUp')));
      break;
    case 'wakeUp': {
      if (!person.counted) throw new RuleBroken('O10 A REPLAY WAS ANSWERED AND NEVER MADE');
      sure('wake-up', to(sendWakeUp(state), k, undefined));
      const known =
        rules.requestKnown.startsWith('noted') || (rules.requestKnown === 'if last' && record.gen === gen + 1);
      asksAgain(known ? then('wakeUp') : { step: 'write', gen: record.gen, counted: true });
    }
  }
  return list;
}

function to(state: State, k: number, person: Replayer | undefined): State {
  return { ...state, people: replaceAt(state.people, k, person).toSorted(byStep) };
}

/** Nobody first: states that differ only in the order of people are one. */
function byStep(a: Replayer | undefined, b: Replayer | undefined): number {
  if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b));
  if (a.step !== b.step) return a.step < b.step ? -1 : 1;
  return a.gen - b.gen || Number(a.counted) - Number(b.counted);
}
