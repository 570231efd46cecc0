/** A busy drainer of the outbound model: what it has in hand, how its steps are collected, and how it ends badly. */
import type { Step } from '#test/proof/model/explorer/model.ts';
import type { OutboundRules } from './outbound-rules.ts';
import {
  type Drainer,
  type DrainerStep,
  excuse,
  GONE,
  LOST,
  messageOf,
  type Pointer,
  type Runtime,
  type State,
  setDrainer,
  setRuntime,
  setWakeUp,
} from './outbound-state.ts';

/** Between the request and the last write of its outcome: a crash here may repeat the request. */
const UNRECORDED: readonly DrainerStep[] = ['sent', 'late-record', 'late-failure'];
const FIRST_RECORDED: readonly DrainerStep[] = ['put', 'delete'];

export class Session {
  readonly list: Step<State>[] = [];
  readonly rules: OutboundRules;
  readonly state: State;
  readonly me: number;
  readonly drainer: Drainer;

  constructor(rules: OutboundRules, state: State, me: number, drainer: Drainer) {
    this.rules = rules;
    this.state = state;
    this.me = me;
    this.drainer = drainer;
  }

  get runtime(): Runtime {
    return this.state.runtime;
  }

  /** Its wake-up is still hidden for it. */
  get holdsWakeUp(): boolean {
    return this.state.wakeUps[this.drainer.slot] === this.me;
  }

  /** The row at work. */
  get first(): Pointer {
    return this.drainer.hand[0] as Pointer;
  }

  go(step: DrainerStep, from = this.state, changes: Partial<Drainer> = {}): State {
    return setDrainer(from, this.me, { ...this.drainer, step, ...changes });
  }

  /** On to the next row of the page, the next page, or the end of the session. */
  nextRow(from: State, why = this.drainer.why): State {
    const { page } = this.drainer;
    if (why) return this.go(why === 'gone' ? 'disable' : 'release', from, { why, page: [], hand: [] });
    const [next, ...rest] = page;
    if (next) return this.go('check', from, { why, page: rest, hand: [next] });
    return this.go('query', from, { why, hand: [] });
  }

  /** The process dies, or gives up and reports failure: its wake-up comes back, its lease ends by itself. */
  lose(from: State): State {
    const lost = this.excused(from);
    return this.returnWakeUp(lost.runtime.owner === this.me ? ownerIsGone(lost, this.me) : lost);
  }

  /** Ghost: what was sent and not recorded may be sent again. */
  excused(from: State): State {
    const { step, hand } = this.drainer;
    const again = UNRECORDED.includes(step) ? hand : FIRST_RECORDED.includes(step) ? hand.slice(1) : [];
    return excuse(
      from,
      again.map(it => it.message),
    );
  }

  /** It is over; its wake-up is visible again in a while. */
  returnWakeUp(from: State): State {
    const returned = this.holdsWakeUp ? setWakeUp(from, this.drainer.slot, LOST) : from;
    return setDrainer(returned, this.me, undefined);
  }

  /** A probe begins elsewhere on the page each time, or always at its oldest row. */
  probedFirst(page: readonly Pointer[], probing: boolean): readonly Pointer[] {
    if (!probing || page.length === 0 || this.rules.probe !== 'another message') return page;
    const from = this.runtime.probes % page.length;
    return [...page.slice(from), ...page.slice(0, from)];
  }

  recordOf(pointer: Pointer) {
    return messageOf(this.state, pointer.message).record;
  }

  certain(action: string, to: State): void {
    this.add(action, true, to);
  }

  fault(action: string, to: State): void {
    this.add(action, false, to);
  }

  add(action: string, fair: boolean, to: State): void {
    this.list.push({ actor: `drainer ${this.me}`, action, fair, to });
  }
}

/** The name on the lease stays what it was, also for whoever read it before. */
function ownerIsGone(state: State, me: number): State {
  const drainers = state.drainers.map(it =>
    it?.read?.owner === me ? { ...it, read: { ...it.read, owner: GONE } } : it,
  );
  return setRuntime({ ...state, drainers }, { owner: GONE });
}
