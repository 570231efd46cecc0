/** How a drainer of the outbound model comes to the lease: at once, or by parts, between which others may act. */
import type { Session } from './outbound-session.ts';
import {
  type Drainer,
  dueRows,
  excuse,
  FREE,
  isShut,
  NOBODY,
  overRows,
  type Pointer,
  type ReadBefore,
  type Runtime,
  type State,
  sendWakeUp,
  setDrainer,
  setRuntime,
  setWakeUp,
  spend,
} from './outbound-state.ts';

/** D1 and W3: nothing to do here, or take the lease. */
export function wake(self: Session): void {
  const { state, rules, runtime, drainer } = self;
  if (rules.heldSeen === 'stale' && runtime.recent)
    self.certain('reads an old lease: drops the wake-up', self.go('ack'));
  if (rules.lanes === 'send, then delete') {
    self.certain('passes the wake-up on to the slow lane', self.go('ack', sendWakeUp(state)));
  } else if (rules.lanes === 'delete, then send' && self.holdsWakeUp) {
    self.certain('deletes the wake-up', self.go('pass on', setWakeUp(state, drainer.slot, FREE)));
  }
  if (dropsWakeUp(self, '')) return;
  if (rules.firstPage === 'before it') goesOn(self, '');
  else {
    const seen = rules.peeks === 'no' ? 'work' : peek(self);
    if (seen !== 'work') self.certain('finds nothing due: drops the wake-up', self.go('ack'));
    if (seen !== 'nothing') takeLease(self);
    if (rules.peeks === 'index' && seen === 'work') self.certain('finds nothing due, the index lags', self.go('ack'));
  }
}

/** By the item as it is: the gate is shut, or the endpoint is leased or on hold. */
function dropsWakeUp(self: Session, how: string): boolean {
  const { state, rules, runtime } = self;
  const closed = isShut(runtime.gate) && rules.acquireLooksAtGate && overRows(state).length === 0;
  const held = runtime.owner !== NOBODY && runtime.leased;
  if (closed) {
    const cleared = rules.closedClearsWake ? setRuntime(state, { wake: 'none' }) : state;
    self.certain(`${how}gate shut: drops the wake-up`, self.go('ack', cleared, NOTHING_READ));
  } else if ((runtime.hold && rules.acquireLooksAtHold) || (held && rules.leaseNeeded)) {
    self.certain(`${how}on hold or held: drops the wake-up`, self.go('ack', state, NOTHING_READ));
  } else return false;
  return true;
}

const NOTHING_READ = { page: [], read: undefined } as const;

/** On to the rows, or, where a first page is of no use or was read already, to the lease. */
function goesOn(self: Session, how: string): void {
  const { state, runtime, drainer } = self;
  const { gate, owner, wake: wakes } = runtime;
  const before: ReadBefore = { owner, wake: wakes, rows: false, ahead: false };
  const untaken = gate === 'open' && owner === NOBODY;
  if (untaken && !drainer.read?.rows) {
    self.certain(`${how}reads the item`, self.go('rows', state, { gate, read: before }));
  } else if (untaken) {
    const read = { ...before, rows: true, ahead: drainer.read?.ahead ?? false };
    goesToLease(self, { how, page: drainer.page, read });
  } else {
    const read = { ...before, rows: drainer.read?.rows ?? false, ahead: drainer.read?.ahead ?? false };
    self.certain(`${how}reads the item, wants the lease`, self.go('lease', state, { gate, read }));
  }
}

interface Seen {
  readonly how: string;
  readonly page: readonly Pointer[];
  readonly read: ReadBefore;
}

function goesToLease(self: Session, { how, page, read }: Seen): void {
  const { rules } = self;
  // The row of an ordered endpoint has no due time of its own: its record has, and is read under the lease.
  const seen = page.length > 0 || (rules.ordered && read.ahead) ? 'work' : byTimes(read.ahead, read.wake);
  if (seen !== 'work') {
    self.certain(`${how}finds nothing due: drops the wake-up`, self.go('ack', self.state, NOTHING_READ));
  }
  if (seen === 'nothing') return;
  self.certain(
    `${how}reads ${page.length} due, wants the lease`,
    self.go('lease', self.state, { gate: 'open', page, read }),
  );
}

/** D1, second half: the rows, by the item as it was. */
export function readRowsBefore(self: Session): void {
  const { state, rules, drainer } = self;
  const { due, ahead } = dueRows(state, rules);
  goesToLease(self, { how: '', page: due, read: { ...(drainer.read as ReadBefore), rows: true, ahead } });
}

/** W3, as the item was read. Refused, the item comes back with the refusal, and what was read of the rows stays. */
export function takeAsRead(self: Session): void {
  const { rules, runtime, drainer } = self;
  const read = drainer.read as ReadBefore;
  const sameGate = runtime.gate === drainer.gate || rules.leaseIf === 'whatever the gate';
  const noHold = !runtime.hold || isShut(runtime.gate) || rules.leaseIf === 'whatever the hold';
  const free = runtime.owner === NOBODY || !runtime.leased;
  if (free && runtime.owner === read.owner && sameGate && noHold) takeLease(self);
  else if (!dropsWakeUp(self, 'is refused the lease: ')) goesOn(self, 'is refused the lease: ');
}

/**
 * The rows before the lease. Nothing is due, and what comes later has its `wakeAt`: the lease is left alone, for whoever
 * puts a row sends a wake-up. A `wakeAt` that is over must be written anew, as the sweeper goes by it. `either`: the next
 * row comes before `wakeAt`, or after it.
 */
function peek({ state, rules, runtime }: Session): 'work' | 'nothing' | 'either' {
  if (runtime.gate !== 'open' || runtime.owner !== NOBODY) return 'work';
  const { due, ahead } = dueRows(state, rules);
  if (due.length > 0 || (rules.ordered && ahead)) return 'work';
  if (rules.peeks === 'leaves wakeAt') return !ahead || runtime.wake !== 'none' ? 'nothing' : 'work';
  if (rules.peeks === 'due rows only' && runtime.wake !== 'due') return 'nothing';
  return byTimes(ahead, runtime.wake);
}

function byTimes(ahead: boolean, wakes: Runtime['wake']): 'work' | 'nothing' | 'either' {
  if (wakes === 'due') return 'work';
  if (!ahead) return 'nothing';
  return wakes === 'none' ? 'work' : 'either';
}

function takeLease(self: Session): void {
  const { state, rules, runtime, me } = self;
  let taken = setRuntime(state, { owner: me, leased: true, recent: true });
  const other = state.drainers[runtime.owner];
  // What a robbed session has in hand may be sent by both.
  if (other?.robbed) taken = excuse(taken, inHandOf(other, state));
  self.certain('takes the lease', begun(self, taken));
  if (state.budget.lost === 0) return;
  const repeated = spend(taken, 'lost');
  if (rules.ownClaimKnown) {
    self.fault('takes the lease (own retry recognised)', begun(self, repeated));
  } else self.fault('takes the lease, takes its own retry for another: drops the wake-up', self.go('ack', repeated));
}

/** On to the first page: the one that was read before, if there is one. */
function begun(self: Session, taken: State): State {
  const { rules, runtime, drainer } = self;
  const { gate } = runtime;
  const session = { gate, robbed: false, probing: runtime.breaker && rules.probe !== 'no', read: undefined } as const;
  const usable = drainer.read?.rows && drainer.gate === 'open';
  if (!usable) {
    const why = rules.looks === 'with the page' ? '' : 'fresh';
    return self.go('query', taken, { ...session, why, page: [] });
  }
  const [first, ...page] = self.probedFirst(drainer.page, session.probing);
  if (first) return self.go('check', taken, { ...session, why: '', page, hand: [first] });
  return self.go('release', taken, { ...session, why: drainer.read?.ahead ? 'ahead' : '', page: [] });
}

/** The messages that a session may still send without another look: one page, which it may be about to read. */
function inHandOf(session: Drainer, state: State): ReadonlySet<number> {
  if (session.step === 'look') return new Set();
  if (session.why === 'fresh') return new Set(state.messages.keys());
  return new Set([...session.hand, ...session.page].map(it => it.message));
}

export function passedOn({ state, me }: Session): State {
  return setDrainer(sendWakeUp(state), me, undefined);
}
