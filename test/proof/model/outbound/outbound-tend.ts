/** Time in the outbound model, and what `tend` repairs: leases and delays end, wakes fall due, audit and reconcile look. */
import { type Actor, certain, possible, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import type { OutboundRules } from './outbound-rules.ts';
import {
  type Drainer,
  dueRows,
  GONE,
  isShut,
  LOST,
  NOBODY,
  note,
  type State,
  sendWakeUp,
  setDrainer,
  setMessage,
  setRuntime,
  setWakeUp,
  spend,
  VISIBLE,
} from './outbound-state.ts';

/** Whatever may end, ends: leases, visibility timeouts, delays. */
export function timeActor(rules: OutboundRules): Actor<State> {
  return state => {
    const { runtime, budget, wakeUps } = state;
    const list: Step<State>[] = [];
    const alive = runtime.owner !== NOBODY && runtime.owner !== GONE;
    const leaseOfTheDead = runtime.owner === GONE && runtime.leased;
    if (leaseOfTheDead && rules.leaseEnds) {
      list.push(certain('time', 'the lease of the dead ends', setRuntime(state, { leased: false })));
    }
    if (alive && runtime.leased && budget.zombie > 0) {
      const robbed = { ...(state.drainers[runtime.owner] as Drainer), robbed: true };
      const ended = setRuntime(setDrainer(state, runtime.owner, robbed), { leased: false });
      list.push(possible('time', 'the lease ends while its owner lives', spend(ended, 'zombie')));
    }
    if (wakeUps.includes(LOST) && !(rules.visibilityLonger && leaseOfTheDead)) {
      list.push(certain('time', 'a wake-up comes back', setWakeUp(state, wakeUps.indexOf(LOST), VISIBLE)));
    }
    if (runtime.recent && runtime.owner === NOBODY && rules.heldSeen === 'stale') {
      list.push(certain('time', 'reads have caught up', setRuntime(state, { recent: false })));
    }
    state.messages.forEach((_, m) => {
      list.push(...retriesOf(state, m), ...reconciled(state, m, rules));
    });
    return list;
  };
}

function retriesOf(state: State, m: number): readonly Step<State>[] {
  const rows = state.messages[m]?.rows ?? [];
  return rows.flatMap((row, k) => {
    if (row.due === 'reached') return [];
    const due = replaceAt(rows, k, { ...row, due: 'reached' as const });
    return [certain('time', `a retry of m${m} becomes due`, setMessage(state, m, { rows: due }))];
  });
}

/** Hourly: a message without row and record is fanned out again. */
function reconciled(state: State, m: number, rules: OutboundRules): readonly Step<State>[] {
  const message = state.messages[m];
  if (!rules.reconcile || !message?.stored || message.jobs > 0 || message.rows.length > 0 || message.record) return [];
  if (state.fans.some(fan => fan?.message === m)) return [];
  return [certain('tend', `reconcile finds m${m} without row and record`, setMessage(state, m, { jobs: 1 }))];
}

/** The sweeper of due wakes, and the audit of first rows. */
export function tendActor(rules: OutboundRules): Actor<State> {
  return state => {
    const { runtime, wakeUps } = state;
    const list: Step<State>[] = [];
    if (runtime.hold) list.push(certain('time', 'the hold ends', setRuntime(state, { hold: false })));
    if (runtime.wake === 'ahead') list.push(certain('time', 'wakeAt is reached', setRuntime(state, { wake: 'due' })));
    const quiet = !wakeUps.includes(VISIBLE);
    if (runtime.wake === 'due' && quiet) {
      const swept = sendWakeUp(state);
      const to = rules.sweeperClears ? setRuntime(swept, { wake: 'none' }) : swept;
      list.push(certain('tend', 'sweeper sends a wake-up', to));
    }
    if (quiet && wouldFind(state, rules)) {
      const woken = sendWakeUp(rules.keepsFound ? note(state, rules) : state);
      if (rules.audit) list.push(certain('tend', 'audit finds a row, sends a wake-up', woken));
      else if (looks(state, rules)) list.push(certain('tend', 'a look by notes finds a row, sends a wake-up', woken));
    }
    // Looks come many times in these hours, and note what they find again.
    if (state.fresh && !(rules.keepsFound && wouldFind(state, rules)))
      list.push(possible('time', 'hours pass', { ...state, fresh: false }));
    return list;
  };
}

/** A row is due, or will be and nothing wakes its endpoint for it, and nobody is at work. */
function wouldFind(state: State, rules: OutboundRules): boolean {
  const { runtime } = state;
  if (isShut(runtime.gate) || runtime.hold || runtime.leased) return false;
  const { due, ahead } = dueRows(state, rules);
  return due.length > 0 || (ahead && runtime.wake === 'none');
}

/** Between two walks: whether the endpoint is looked at. */
function looks({ runtime, fresh }: State, rules: OutboundRules): boolean {
  const left = runtime.owner !== NOBODY && rules.shows !== 'only that they were given back';
  return rules.noted !== 'no' && (fresh || left || runtime.wake !== 'none');
}
