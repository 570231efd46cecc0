/** What the record of a delivery says about a row, and the conditional writes that end a request. */
import { RuleBroken } from '#test/proof/model/explorer/model.ts';
import type { OutboundRules } from './outbound-rules.ts';
import {
  addRow,
  type DrainerStep,
  isFinal,
  isOver,
  isOwed,
  isSameKey,
  isShut,
  messageOf,
  type Pointer,
  type State,
  setMessage,
} from './outbound-state.ts';

type Decision = 'send' | 'delete' | 'repair' | 'cancel' | 'skip';

/** What to do with a row: also the answer to every kind of stale or resurrected row. */
export function decide(state: State, pointer: Pointer, rules: OutboundRules): Decision {
  const { row } = pointer;
  const { record } = messageOf(state, pointer.message);
  const over = state.runtime.gate === 'deleted' || isOver(state, pointer);
  if (!record) {
    if (row.gen !== 1) return 'delete';
    return over ? 'cancel' : 'send';
  }
  if (record.gen > row.gen) return 'delete';
  if (record.gen < row.gen) return 'skip'; // its replay is not committed: only without a transaction
  if (isFinal(record)) return 'delete';
  if (over) return 'cancel';
  if (rules.ordered) return 'send';
  // That attempt was recorded: only its retry row may be missing.
  if (row.n <= record.attempts) return rules.repairRecorded ? 'repair' : 'delete';
  return 'send';
}

/** A request leaves: it must have a cause, an open gate and, for an ordered endpoint, nothing owed before it. */
export function beginRequest(state: State, me: number, { message: m, row }: Pointer, rules: OutboundRules): State {
  if (isShut(state.drainers[me]?.gate ?? '')) throw new RuleBroken('O8 SENT WHILE PAUSED OR DISABLED');
  const before = state.messages.slice(0, m);
  if (rules.ordered && row.gen === 1 && before.some(it => isOwed(it) && (it.record?.gen ?? 1) === 1)) {
    throw new RuleBroken('O11 ORDER BROKEN');
  }
  const message = messageOf(state, m);
  if (message.maySend === 0) throw new RuleBroken('O5 SENT AGAIN WITHOUT A CAUSE');
  return setMessage(state, m, { maySend: message.maySend - 1, sentGen: Math.max(message.sentGen, row.gen) });
}

/** W5: the record ends as delivered, if its condition holds. */
export function recordSuccess(state: State, { message: m, row }: Pointer, rules: OutboundRules): State {
  const { record, sentGen } = messageOf(state, m);
  if (!(record ? successAllowed(record.gen === row.gen, isFinal(record), rules) : row.gen === 1)) return state;
  const gen = record?.gen ?? 1;
  if (sentGen < gen) throw new RuleBroken('O10 REPLAY SWALLOWED BY AN OLDER REQUEST');
  return setMessage(state, m, { record: { gen, status: 'delivered', attempts: record?.attempts ?? 0 } });
}

function successAllowed(sameGeneration: boolean, final: boolean, rules: OutboundRules): boolean {
  if (rules.successIf === 'always') return true;
  return !final && (sameGeneration || rules.successIf === 'not final');
}

/** W6: one more recorded failure, if its condition holds. Returns the state and the session's next step. */
export function recordFailure(
  state: State,
  { message: m, row }: Pointer,
  rules: OutboundRules,
): { state: State; next: DrainerStep } {
  const { record, rows } = messageOf(state, m);
  const open = record ? record.gen === row.gen && !isFinal(record) : row.gen === 1;
  const n = rules.ordered ? (record?.gen === row.gen ? record.attempts : 0) + 1 : row.n;
  if (rules.failureIf !== 'always' && !(open && (record?.attempts ?? 0) < n)) {
    return { state, next: record && open && !rules.ordered ? 'put' : 'delete' };
  }
  if (isFinal(record)) throw new RuleBroken('O4 A FINAL DELIVERY WAS UNDONE');
  const dead = n >= rules.attempts;
  const written = setMessage(state, m, { record: { gen: row.gen, status: dead ? 'dead' : 'retrying', attempts: n } });
  if (dead) return { state: written, next: 'delete' };
  if (!rules.ordered) return { state: written, next: 'put' };
  const waits = rows.map(it => (isSameKey(it, row) ? { ...it, due: 'ahead' as const } : it));
  return { state: setMessage(written, m, { rows: waits }), next: 'delete' };
}

/** W7: the row of the next attempt. */
export function putRetryRow(state: State, { message: m, row }: Pointer, rules: OutboundRules): State {
  const { record } = messageOf(state, m);
  const recorded = record?.gen === row.gen ? record.attempts : row.n;
  return addRow(state, m, { kind: 'B', gen: row.gen, n: Math.min(rules.attempts, recorded + 1), due: 'ahead' });
}
