/** The end of a session in the outbound model: give the lease back, then look once more at the gate and the rows. */
import type { Session } from './outbound-session.ts';
import {
  dueRows,
  GONE,
  isShut,
  NOBODY,
  note,
  type Runtime,
  type State,
  setRuntime,
  spend,
  type Why,
} from './outbound-state.ts';

const isBroken = (why: Why): boolean => why === 'broken' || why === 'broken, ahead' || why === 'broken, hold';

/** W10. Refused: the lease was lost meanwhile, and the item comes back with the refusal. */
export function releaseLease(self: Session): void {
  const { state, rules, runtime, me, drainer } = self;
  const allowed = runtime.owner === me || !rules.releaseIfOwner;
  const free = allowed ? givenBack(self) : state;
  if (allowed && state.budget.error > 0) releaseFails(self);
  const over = { gate: '', page: [], hand: [], robbed: false, probing: false } as const;
  const unasked = !rules.recheck || (rules.recheckGate === 'remembered' && drainer.why === 'closed');
  if (isBroken(drainer.why)) {
    const returns = rules.broken === 'releases, wake-up returns';
    const to = returns ? self.returnWakeUp(free) : self.go('ack', free, { ...over, why: '' });
    self.certain(`releases after an error, ${returns ? 'returns' : 'deletes'} its wake-up`, to);
  } else if (unasked) self.certain('releases', self.go('ack', free, { ...over, why: '' }));
  else if (free.runtime.owner !== NOBODY && free.runtime.leased) {
    self.certain('releases; somebody else has it', self.go('ack', free, { ...over, why: '' }));
  } else self.certain('releases', self.go('recheck', free, { ...over, why: whatItFound(free.runtime) }));
}

function givenBack({ state, rules, runtime, drainer: { why, probing } }: Session): State {
  const opens = why === 'opens' || why === 'probed';
  const holds = why === 'hold' || why === 'broken, hold' || opens;
  const wakes = ((why === 'ahead' || why === 'broken, ahead') && rules.wakeOfRetry) || (holds && rules.wakeOfHold);
  const breaker = opens || (probing && runtime.breaker);
  const probes = why === 'probed' ? (runtime.probes + 1) % state.messages.length : runtime.probes;
  const left = rules.shows === 'only that they are left' ? state : note(state, rules);
  return setRuntime(left, {
    owner: NOBODY,
    leased: false,
    hold: holds || runtime.hold,
    breaker,
    probes: breaker ? probes : 0,
    wake: wakes ? 'ahead' : 'none',
  });
}

function releaseFails(self: Session): void {
  const failed = spend(self.state, 'error');
  if (self.rules.releaseError === 'ack') {
    const left = setRuntime(failed, { owner: GONE });
    self.fault('release fails, deletes the wake-up all the same', self.go('ack', left));
  } else self.fault('release fails, returns its wake-up', self.lose(failed));
}

function whatItFound(runtime: Runtime): Why {
  if (isShut(runtime.gate) || runtime.hold) return 'closed';
  return runtime.wake === 'none' ? 'none' : 'wake';
}

/** D9: the rows once more. Something is due, or due later and nothing will wake the endpoint for it: start again. */
export function afterRelease(self: Session): void {
  const { state, rules, drainer } = self;
  const { due, ahead } = dueRows(state, rules);
  const late = ahead && drainer.why === 'none' && rules.recheckFuture;
  if (drainer.why === 'closed' || (due.length === 0 && !late)) {
    self.certain('queries again: nothing', self.go('ack', state, { why: '' }));
    return;
  }
  self.certain('queries again: there is more', self.go('got', state, { why: '' }));
  if (rules.recheckReads === 'index') {
    self.certain('queries again, the index lags', self.go('ack', state, { why: '' }));
  }
}
