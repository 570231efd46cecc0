/** The endpoint's actor in the outbound model: a drainer takes a wake-up and the lease, reads a page, and does each row. */
import type { Actor, Step } from '#test/proof/model/explorer/model.ts';
import { passedOn, readRowsBefore, takeAsRead, wake } from './outbound-lease.ts';
import { beginRequest, decide } from './outbound-record.ts';
import { afterRelease, releaseLease } from './outbound-release.ts';
import { answered, deleteOldRow, lateFailure, lateRecord, putNewRow } from './outbound-request.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { Session } from './outbound-session.ts';
import {
  type Broken,
  type DrainerStep,
  dueRows,
  FREE,
  isShut,
  overRows,
  type Pointer,
  SLOTS,
  type State,
  setDrainer,
  setMessage,
  setRuntime,
  setWakeUp,
  spend,
  VISIBLE,
} from './outbound-state.ts';

/** Steps at which a call may error without being refused: the session gives up and its wake-up comes back. */
const CAN_ERROR: readonly DrainerStep[] = [
  'rows',
  'lease',
  'query',
  'look',
  'check',
  'sent',
  'put',
  'delete',
  'recheck',
];

/** Of these, those under the lease. */
const HAS_LEASE: readonly DrainerStep[] = ['query', 'look', 'check', 'sent', 'put', 'delete'];

/** Drainer number `me` (0 or 1). */
export function drainerActor(rules: OutboundRules, me: number): Actor<State> {
  return state => {
    const drainer = state.drainers[me];
    if (!drainer) return takeWakeUp(rules, state, me);
    const session = new Session(rules, state, me, drainer);
    mayFail(session);
    STEPS[drainer.step](session);
    return session.list;
  };
}

const STEPS: Readonly<Record<DrainerStep, (session: Session) => void>> = {
  got: wake,
  rows: readRowsBefore,
  lease: takeAsRead,
  'pass on': session => session.certain('sends the wake-up to the slow lane', passedOn(session)),
  query: readPage,
  look: lookAtLease,
  check: lookAtRow,
  sent: answered,
  'late-record': lateRecord,
  'late-failure': lateFailure,
  put: putNewRow,
  delete: deleteOldRow,
  disable: disableEndpoint,
  release: releaseLease,
  recheck: afterRelease,
  ack: deleteWakeUp,
};

const FRESH = { step: 'got', page: [], hand: [], why: '', gate: '', robbed: false, probing: false } as const;

function takeWakeUp(rules: OutboundRules, state: State, me: number): readonly Step<State>[] {
  const slot = state.wakeUps.indexOf(VISIBLE);
  if (slot < 0 || slot >= SLOTS || (me > 0 && !state.drainers[0])) return [];
  const taken = setWakeUp(state, slot, rules.wakeUpDeleted === 'end' ? me : FREE);
  const to = setDrainer(taken, me, { ...FRESH, slot });
  return [{ actor: `drainer ${me}`, action: 'receives a wake-up', fair: true, to }];
}

function mayFail(self: Session): void {
  const { state, drainer } = self;
  const { budget } = state;
  if (budget.crash > 0) self.fault(`CRASHES at ${drainer.step}`, self.lose(spend(state, 'crash')));
  if (budget.zombie > 0 && self.holdsWakeUp) {
    self.fault('visibility ends while it runs', spend(setWakeUp(state, drainer.slot, VISIBLE), 'zombie'));
  }
  if (budget.error > 0 && CAN_ERROR.includes(drainer.step)) {
    if (HAS_LEASE.includes(drainer.step) && self.rules.broken !== 'keeps the lease') givesUp(self);
    else self.fault(`gets an error at ${drainer.step}, returns its wake-up`, self.lose(spend(state, 'error')));
  }
}

/** What is in hand stays as it is; the lease goes back, with what the endpoint waits for. */
function givesUp(self: Session): void {
  const { drainer, rules } = self;
  const failed = spend(self.state, 'error');
  const { ahead } = dueRows(failed, rules);
  const held = ['hold', 'opens', 'probed'].includes(drainer.why);
  const waits = ahead && !isShut(drainer.gate) ? 'broken, ahead' : 'broken';
  const released = (from: State, why: Broken): State =>
    self.go('release', self.excused(from), { page: [], hand: [], why });
  self.fault(`gives up at ${drainer.step}`, released(failed, held ? 'broken, hold' : waits));
  // It knows the answer that it could not record.
  if (drainer.step === 'sent' && failed.budget.breaker > 0)
    self.fault('gives up at sent, breaker opens', released(spend(failed, 'breaker'), 'broken, hold'));
}

/** D3: a page of due rows. What was found is begun after one more look at owner and gate, but for the first page. */
function readPage(self: Session): void {
  if (self.rules.looks === 'with the page') readPageAndLook(self);
  else {
    const { state, rules, drainer } = self;
    const shut = isShut(drainer.gate);
    const { due, ahead } = shut ? { due: overRows(state), ahead: false } : dueRows(state, rules);
    const [first, ...page] = self.probedFirst(due, drainer.probing);
    const trusted = drainer.why === 'fresh' || rules.looks === 'at the lease';
    if (!first) self.certain('queries, none due', self.go('release', state, { why: ahead ? 'ahead' : '' }));
    else {
      const read = { page, hand: [first], why: '' } as const;
      self.certain(`queries ${due.length} due`, self.go(trusted ? 'check' : 'look', state, read));
    }
  }
}

/** D7. */
function lookAtLease(self: Session): void {
  const { state, runtime, me, drainer } = self;
  const { gate } = runtime;
  const none = { page: [], hand: [] } as const;
  const changed = isShut(gate) !== isShut(drainer.gate);
  if (runtime.owner !== me)
    self.certain('finds that it lost the lease', self.go('release', state, { ...none, why: '' }));
  else if (changed) {
    const why = isShut(gate) ? 'closed' : '';
    self.certain(
      `finds the gate ${isShut(gate) ? 'shut' : 'opened'}`,
      self.go('release', state, { ...none, why, gate }),
    );
  } else self.certain('looks: its lease and its gate', self.go('check', state, { gate }));
}

/** D3 and D7 as one step: owner and gate once more, then a page of due rows. */
function readPageAndLook(self: Session): void {
  const { state, rules, runtime, me, drainer } = self;
  const gate = rules.sessionLooksAtGate ? runtime.gate : drainer.gate;
  const shut = isShut(gate) && rules.sessionLooksAtGate;
  const over = overRows(state);
  if (rules.sessionLooksAtOwner && runtime.owner !== me) {
    self.certain('finds that it lost the lease', self.go('release', state, { why: '', gate }));
  } else if (shut && over.length === 0) {
    self.certain('finds the gate shut', self.go('release', state, { why: 'closed', gate }));
  } else {
    const { due, ahead } = shut ? { due: over, ahead: false } : dueRows(state, rules);
    const [first, ...page] = self.probedFirst(due, drainer.probing);
    if (first) self.certain(`queries ${due.length} due`, self.go('check', state, { page, hand: [first], gate }));
    else self.certain('queries, none due', self.go('release', state, { why: ahead ? 'ahead' : '', gate }));
  }
}

/** D4 and D5: the record of this row, and what it says. */
function lookAtRow(self: Session): void {
  const { state, rules, first } = self;
  switch (rules.lookAtRecord ? decide(state, first, rules) : 'send') {
    case 'send':
      send(self, first);
      break;
    case 'delete':
      self.certain('sees that the row is done', self.go('delete'));
      break;
    case 'repair':
      self.certain('sees that the attempt is recorded', self.go('put'));
      break;
    case 'cancel':
      endDelivery(self, first);
      break;
    case 'skip':
      self.certain('leaves the row', self.nextRow(state));
  }
}

/** W9. */
function endDelivery(self: Session, { message, row }: Pointer): void {
  const { state, rules } = self;
  const record = { gen: row.gen, status: 'ended', attempts: 0 } as const;
  const ended = rules.cancelRecords ? setMessage(state, message, { record }) : state;
  self.certain('records that it was dropped', self.go('delete', ended));
}

function send(self: Session, first: Pointer): void {
  const { state, rules, drainer, me } = self;
  const along = rules.batch && !drainer.probing ? drainer.page.filter(it => decide(state, it, rules) === 'send') : [];
  const hand = [first, ...along];
  const sent = hand.reduce((from, pointer) => beginRequest(from, me, pointer, rules), state);
  const page = drainer.page.filter(it => !along.includes(it));
  self.certain(`sends m${hand.map(it => it.message).join('+')}`, self.go('sent', sent, { hand, page }));
}

/** W14: only an open endpoint, and only by the owner of its lease. */
function disableEndpoint(self: Session): void {
  const { state, rules, runtime, me } = self;
  if ((runtime.owner === me && runtime.gate === 'open') || rules.disableIf === 'always') {
    const disabled = setRuntime(state, { gate: 'disabled', gateBy: '', wake: 'none' });
    self.certain('disables the endpoint', self.go('release', disabled, { why: 'closed' }));
  } else self.certain('lost the lease or the gate: disables nothing', self.go('release', state, { why: '' }));
}

/** D10. */
function deleteWakeUp(self: Session): void {
  const { state, rules, me, drainer } = self;
  const done = setDrainer(state, me, undefined);
  if (self.holdsWakeUp) {
    self.certain('deletes its wake-up', setWakeUp(done, drainer.slot, FREE));
    return;
  }
  self.certain('deletes with a stale handle, nothing happens', done);
  if (rules.wakeUpDeleted === 'end' && state.wakeUps[drainer.slot] !== FREE) {
    self.certain('deletes with a stale handle, the copy goes', setWakeUp(done, drainer.slot, FREE));
  }
}
