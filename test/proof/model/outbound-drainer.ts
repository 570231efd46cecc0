/** The endpoint's actor in the outbound model: a drainer takes a token and the lease, reads a page, and does each row. */
import type { Actor, Step } from './explore.ts';
import { beginRequest, decide } from './outbound-record.ts';
import { afterRelease, releaseLease } from './outbound-release.ts';
import { answered, deleteOldRow, lateFailure, lateRecord, putNewRow } from './outbound-request.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { Session } from './outbound-session.ts';
import {
  type Drainer,
  type DrainerStep,
  dueRows,
  excuse,
  FREE,
  isShut,
  NOBODY,
  overRows,
  type Pointer,
  SLOTS,
  type State,
  sendToken,
  setDrainer,
  setMessage,
  setRuntime,
  setToken,
  spend,
  VISIBLE,
} from './outbound-state.ts';

/** Steps at which a call may error without being refused: the session gives up and its token comes back. */
const CAN_ERROR: readonly DrainerStep[] = ['query', 'look', 'check', 'sent', 'put', 'delete', 'recheck'];

/** Drainer number `me` (0 or 1). */
export function drainerActor(rules: OutboundRules, me: number): Actor<State> {
  return state => {
    const drainer = state.drainers[me];
    if (!drainer) return takeToken(rules, state, me);
    const session = new Session(rules, state, me, drainer);
    mayFail(session);
    STEPS[drainer.step](session);
    return session.list;
  };
}

const STEPS: Readonly<Record<DrainerStep, (session: Session) => void>> = {
  got: wake,
  'pass on': session => session.certain('sends the token to the slow lane', passedOn(session)),
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
  ack: deleteToken,
};

function takeToken(rules: OutboundRules, state: State, me: number): readonly Step<State>[] {
  const slot = state.tokens.indexOf(VISIBLE);
  if (slot < 0 || slot >= SLOTS || (me > 0 && !state.drainers[0])) return [];
  const taken = setToken(state, slot, rules.tokenDeleted === 'end' ? me : FREE);
  const to = setDrainer(taken, me, { step: 'got', slot, page: [], hand: [], why: '', gate: '', robbed: false });
  return [{ actor: `drainer ${me}`, action: 'receives a token', fair: true, to }];
}

function mayFail(self: Session): void {
  const { state, drainer } = self;
  const { budget } = state;
  if (budget.crash > 0) self.fault(`CRASHES at ${drainer.step}`, self.lose(spend(state, 'crash')));
  if (budget.zombie > 0 && self.holdsToken) {
    self.fault('visibility ends while it runs', spend(setToken(state, drainer.slot, VISIBLE), 'zombie'));
  }
  if (budget.error > 0 && CAN_ERROR.includes(drainer.step)) {
    self.fault(`gets an error at ${drainer.step}, returns its token`, self.lose(spend(state, 'error')));
  }
}

/** D1 and W3: nothing to do here, or take the lease. */
function wake(self: Session): void {
  const { state, rules, runtime, drainer } = self;
  const closed = isShut(runtime.gate) && rules.acquireLooksAtGate && overRows(state).length === 0;
  const held = runtime.owner !== NOBODY && runtime.leased;
  if (rules.heldSeen === 'stale' && runtime.recent) self.certain('reads an old lease: drops the token', self.go('ack'));
  if (rules.lanes === 'send, then delete') {
    self.certain('passes the token on to the slow lane', self.go('ack', sendToken(state)));
  } else if (rules.lanes === 'delete, then send' && self.holdsToken) {
    self.certain('deletes the token', self.go('pass on', setToken(state, drainer.slot, FREE)));
  }
  if (closed) {
    const cleared = rules.closedClearsWake ? setRuntime(state, { wake: 'none' }) : state;
    self.certain('gate closed: drops the token', self.go('ack', cleared));
  } else if ((runtime.hold && rules.acquireLooksAtHold) || (held && rules.leaseNeeded)) {
    self.certain('on hold or held: drops the token', self.go('ack'));
  } else {
    const seen = rules.peeks === 'no' ? 'work' : peek(self);
    if (seen !== 'work') self.certain('finds nothing due: drops the token', self.go('ack'));
    if (seen !== 'nothing') takeLease(self);
    if (rules.peeks === 'index' && seen === 'work') self.certain('finds nothing due, the index lags', self.go('ack'));
  }
}

/**
 * The rows before the lease. Nothing is due, and what comes later has its `wakeAt`: the lease is left alone, for whoever
 * puts a row sends a token. A `wakeAt` that is over must be written anew, as the sweeper goes by it. `either`: the next
 * row comes before `wakeAt`, or after it.
 */
function peek({ state, rules, runtime }: Session): 'work' | 'nothing' | 'either' {
  if (runtime.gate !== 'open' || runtime.owner !== NOBODY) return 'work';
  const { due, ahead } = dueRows(state, rules);
  // The row of an ordered endpoint has no due time of its own: its record has, and is read under the lease.
  if (due.length > 0 || (rules.ordered && ahead)) return 'work';
  if (rules.peeks === 'leaves wakeAt') return !ahead || runtime.wake !== 'none' ? 'nothing' : 'work';
  if (runtime.wake === 'due') return 'work';
  if (rules.peeks === 'due rows only' || !ahead) return 'nothing';
  return runtime.wake === 'none' ? 'work' : 'either';
}

function takeLease(self: Session): void {
  const { state, rules, runtime, me } = self;
  const fresh = { why: rules.looks === 'with the page' ? '' : 'fresh', gate: runtime.gate, robbed: false } as const;
  let taken = setRuntime(state, { owner: me, leased: true, recent: true });
  const other = state.drainers[runtime.owner];
  // What a robbed session has in hand may be sent by both.
  if (other?.robbed) taken = excuse(taken, inHandOf(other, state));
  self.certain('takes the lease', self.go('query', taken, fresh));
  if (state.budget.lost === 0) return;
  const repeated = spend(taken, 'lost');
  if (rules.ownClaimKnown) {
    self.fault('takes the lease (own retry recognised)', self.go('query', repeated, fresh));
  } else self.fault('takes the lease, takes its own retry for another: drops the token', self.go('ack', repeated));
}

/** The messages that a session may still send without another look: one page, which it may be about to read. */
function inHandOf(session: Drainer, state: State): ReadonlySet<number> {
  if (session.step === 'look') return new Set();
  if (session.why === 'fresh') return new Set(state.messages.keys());
  return new Set([...session.hand, ...session.page].map(it => it.message));
}

function passedOn({ state, me }: Session): State {
  return setDrainer(sendToken(state), me, undefined);
}

/** D3: a page of due rows. What was found is begun after one more look at owner and gate, but for the first page. */
function readPage(self: Session): void {
  if (self.rules.looks === 'with the page') readPageAndLook(self);
  else {
    const { state, rules, drainer } = self;
    const shut = isShut(drainer.gate);
    const { due, ahead } = shut ? { due: overRows(state), ahead: false } : dueRows(state, rules);
    const [first, ...page] = due;
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
      `finds the gate ${isShut(gate) ? 'closed' : 'opened'}`,
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
    self.certain('finds the gate closed', self.go('release', state, { why: 'closed', gate }));
  } else {
    const { due, ahead } = shut ? { due: over, ahead: false } : dueRows(state, rules);
    const [first, ...page] = due;
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
  const along = rules.batch ? drainer.page.filter(it => decide(state, it, rules) === 'send') : [];
  const hand = [first, ...along];
  const sent = hand.reduce((from, pointer) => beginRequest(from, me, pointer, rules), state);
  const page = drainer.page.filter(it => !along.includes(it));
  self.certain(`sends m${hand.map(it => it.message).join('+')}`, self.go('sent', sent, { hand, page }));
}

/** W14: only an open endpoint, and only by the owner of its lease. */
function disableEndpoint(self: Session): void {
  const { state, rules, runtime, me } = self;
  if ((runtime.owner === me && runtime.gate === 'open') || rules.disableIf === 'always') {
    const disabled = setRuntime(state, { gate: 'disabled', wake: 'none' });
    self.certain('disables the endpoint', self.go('release', disabled, { why: 'closed' }));
  } else self.certain('lost the lease or the gate: disables nothing', self.go('release', state, { why: '' }));
}

/** D10. */
function deleteToken(self: Session): void {
  const { state, rules, me, drainer } = self;
  const done = setDrainer(state, me, undefined);
  if (self.holdsToken) {
    self.certain('deletes its token', setToken(done, drainer.slot, FREE));
    return;
  }
  self.certain('deletes with a stale handle, nothing happens', done);
  if (rules.tokenDeleted === 'end' && state.tokens[drainer.slot] !== FREE) {
    self.certain('deletes with a stale handle, the copy goes', setToken(done, drainer.slot, FREE));
  }
}
