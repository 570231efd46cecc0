/** A request in the air in the outbound model: its outcome is written record first, then the new row, then the old one goes. */
import { putRetryRow, recordFailure, recordSuccess } from './outbound-record.ts';
import type { Session } from './outbound-session.ts';
import {
  addRow,
  type Drainer,
  deleteRow,
  excuse,
  isFinal,
  isSameKey,
  messageOf,
  type State,
  setMessage,
  spend,
  type Why,
} from './outbound-state.ts';

/** The answer comes, or does not. One answer counts for all rows of a batch. */
export function answered(self: Session): void {
  const { why, probing } = self.drainer;
  const refused = (self.rules.refused & (1 << self.first.message)) !== 0;
  if (probing && (refused || self.state.budget.fail > 0)) probeFails(self, refused);
  if (refused && !probing) isRefused(self);
  if (refused) return;
  if (why !== 'batch bad') succeeds(self);
  if (why !== 'batch ok' && !probing && (why === 'batch bad' || self.state.budget.fail > 0)) fails(self);
  if (why !== 'batch ok' && why !== 'batch bad' && self.state.budget.throttled > 0) isThrottled(self);
}

function succeeds(self: Session): void {
  const { state, rules, first, drainer } = self;
  if (rules.successOrder === 'row, record') {
    self.certain('2xx, deletes the row', self.go('late-record', deleteRow(state, first.message, first.row)));
  } else {
    const why = drainer.hand.length > 1 ? 'batch ok' : '';
    self.certain('2xx, records it', self.go('delete', recordSuccess(state, first, rules), { why, probing: false }));
  }
}

/** It is held as long again, and nothing is charged. */
function probeFails(self: Session, refused: boolean): void {
  const { state, first } = self;
  const spent = refused ? state : spend(state, 'fail');
  const held = self.go('release', excuse(spent, [first.message]), { page: [], hand: [], why: 'probed' });
  self.add(`a probe is ${refused ? 'refused' : 'in vain'}: held again, not charged`, refused, held);
}

/** 422: a failure of the message, which says nothing about its endpoint. */
function isRefused(self: Session): void {
  const { state, rules, first } = self;
  const counted = setMessage(state, first.message, { failed: messageOf(state, first.message).failed + 1 });
  const { state: to, next } = recordFailure(excuse(counted, [first.message]), first, rules);
  self.certain(`is refused, records attempt ${first.row.n}`, self.go(next, to, { why: '' }));
}

function fails(self: Session): void {
  const { state, drainer, first } = self;
  const known = drainer.why === 'batch bad';
  const more = drainer.hand.length > 1;
  const spent = known ? state : spend(state, 'fail');
  const counted = setMessage(spent, first.message, { failed: messageOf(spent, first.message).failed + 1 });
  const failed = excuse(counted, [first.message]);
  const { breaker, gone } = state.budget;
  recordIt(self, failed, '', more ? 'batch bad' : '', known);
  if (breaker > 0 && !more)
    recordIt(self, spend(failed, 'breaker'), ', breaker opens', self.rules.probe === 'no' ? 'hold' : 'opens', known);
  if (gone > 0 && !more) recordIt(self, spend(failed, 'gone'), ', 410', 'gone', known);
}

function recordIt(self: Session, failed: State, how: string, why: Why, known: boolean): void {
  const { rules, first } = self;
  if (rules.retryOrder === 'new, record, old') {
    const retry = { kind: 'B', gen: first.row.gen, n: first.row.n + 1, due: 'ahead' } as const;
    const to = self.go('late-failure', addRow(failed, first.message, retry), { why });
    self.fault('fails, puts the retry row', to);
  } else {
    const { state, next } = recordFailure(failed, first, rules);
    self.add(`fails${how}, records attempt ${first.row.n}`, known, self.go(next, state, { why }));
  }
}

function isThrottled(self: Session): void {
  const { state, rules, drainer, first } = self;
  const hand = drainer.hand.map(it => it.message);
  const held = excuse(spend(state, 'throttled'), hand);
  const left = rules.throttledCharged ? recordFailure(held, first, rules).state : held;
  self.fault('429 with Retry-After, not charged', self.go('release', left, { page: [], hand: [], why: 'hold' }));
}

export function lateRecord(self: Session): void {
  const recorded = recordSuccess(self.state, self.first, self.rules);
  self.certain('records the success', self.nextRow(recorded, ''));
}

export function lateFailure(self: Session): void {
  const { state } = recordFailure(self.state, self.first, self.rules);
  self.certain('records the failure', self.go('delete', state));
}

export function putNewRow(self: Session): void {
  const { state, rules, first } = self;
  const { rows } = messageOf(state, first.message);
  if (rules.retryOrder === 'record, old, new' && rows.some(it => isSameKey(it, first.row))) {
    self.certain('deletes the old row', self.go('put', deleteRow(state, first.message, first.row)));
  } else self.certain('puts the retry row', self.go('delete', putRetryRow(state, first, rules)));
}

/** W8. The row of an ordered endpoint stays until its record is final. */
export function deleteOldRow(self: Session): void {
  const { state, rules, first, drainer } = self;
  const record = self.recordOf(first);
  const stays = rules.ordered && record?.gen === first.row.gen && !isFinal(record);
  const gone = stays ? state : deleteRow(state, first.message, first.row);
  const hand = drainer.hand.slice(1);
  if (hand.length > 0) self.certain('deletes the row', self.go('sent', gone, { hand }));
  else self.certain('deletes the row', self.nextRow(gone, afterBatch(drainer)));
}

function afterBatch({ why }: Drainer): Why {
  return why === 'batch ok' || why === 'batch bad' ? '' : why;
}
