/** A busy consumer of the lifecycle model: what it holds, how its steps are collected, and what deleting means (I7). */
import { RuleBroken, type Step } from '#test/proof/model/explorer/model.ts';
import type { LifecycleRules } from './lifecycle-rules.ts';
import {
  addCopy,
  type Consumer,
  GONE,
  isOver,
  type State,
  setConsumer,
  type Tag,
  takeCopy,
} from './lifecycle-state.ts';

export class BusyConsumer {
  readonly list: Step<State>[] = [];
  readonly rules: LifecycleRules;
  readonly state: State;
  readonly me: number;
  readonly consumer: Consumer;

  constructor(rules: LifecycleRules, state: State, me: number, consumer: Consumer) {
    this.rules = rules;
    this.state = state;
    this.me = me;
    this.consumer = consumer;
  }

  goTo(step: Consumer['step'], from = this.state): State {
    return setConsumer(from, this.me, { ...this.consumer, step });
  }

  toAck(from: State, justified = false): State {
    const consumer = from.consumers[this.me] as Consumer;
    const step = justified || mayDelete(from, consumer.tag) ? 'ack' : 'ack-unjustified';
    return setConsumer(from, this.me, { ...consumer, step, dead: undefined });
  }

  /** A crash, or a reported failure: the message comes back, the claim (if any) has no live owner. */
  stop(from: State): State {
    const consumer = from.consumers[this.me] as Consumer;
    return setConsumer(disown(consumer.holds ? addCopy(from, consumer.tag) : from, this.me), this.me, undefined);
  }

  certain(action: string, to: State): void {
    this.add(action, true, to);
  }

  fault(action: string, to: State): void {
    this.add(action, false, to);
  }

  add(action: string, fair: boolean, to: State): void {
    this.list.push({ actor: `consumer ${this.me}`, action, fair, to });
  }
}

function disown(state: State, me: number): State {
  return state.record?.owner === me ? { ...state, record: { ...state.record, owner: GONE } } : state;
}

/**
 * Invariant I7, as the record shows it. A redriven message is the only DLQ message of its event, so it may not go
 * while the record is still dead with that deadId.
 */
function mayDelete(state: State, tag: Tag): boolean {
  const { record } = state;
  if (tag === 'older') return true;
  if (!record || (record.status === 'dead' && tag === 'redriven')) return false;
  return isOver(record) || record.status === 'dead' || record.parked || record.successorSent;
}

export function deletions(state: State, me: number): readonly (readonly [string, State])[] {
  const consumer = state.consumers[me] as Consumer;
  if (consumer.step === 'ack-unjustified' && !mayDelete(state, consumer.tag)) {
    throw new RuleBroken('I7 A MESSAGE WAS DELETED TOO EARLY');
  }
  const after = disown(setConsumer(state, me, undefined), me);
  if (consumer.holds) return [['deletes its message', after]];
  const nothing = ['deletes with a stale handle, nothing happens', after] as const;
  const other = state.consumers[1 - me];
  if (state.queue[consumer.tag] > 0) {
    return [nothing, ['deletes with a stale handle, the copy goes', takeCopy(after, consumer.tag)]];
  }
  if (other?.holds && other.tag === consumer.tag) {
    const lost = setConsumer(after, 1 - me, { ...other, holds: false });
    return [nothing, ["deletes with a stale handle, the other consumer's copy goes", lost]];
  }
  return [nothing];
}
