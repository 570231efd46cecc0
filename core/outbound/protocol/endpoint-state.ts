/** How an endpoint is, out of its runtime item: its state, why, and what it answered last. */

import { toIso } from '#core/time.ts';
import type { EndpointState } from '#core/words.ts';
import { type HourCount, readHours } from './hours.ts';
import type { RuntimeItem } from './items.ts';
import { wakeAtOf } from './keys.ts';

export const iso = (at: number | undefined): string | null => (at === undefined ? null : toIso(at));

export const STATES = ['ok', 'untried', 'failing', 'holding', 'paused', 'disabled', 'pulled'] as const;
type State = (typeof STATES)[number];
type ClosedBy = NonNullable<RuntimeItem['gateBy']>;
/** Below this share an endpoint is not well; after a success, only once so many attempts have failed. */
const WELL_FROM = 0.9;
const FAILURES_OF_NOTE = 3;

interface EndpointView extends EndpointState {
  readonly state: State;
  readonly closed_by: ClosedBy | null;
  readonly success_rate_1h: number | null;
}
type Known = Omit<EndpointView, 'gate' | 'state' | 'why' | 'closed_by' | 'closed_at' | 'next_trial_at'>;

/** What lists show of an endpoint as well: its state, and why it is so. */
export function stateOf(runtime: RuntimeItem | undefined, now: number): EndpointView {
  const known = knownOf(runtime, now);
  const none = { ...known, closed_by: null, closed_at: null, why: null, next_trial_at: null };
  if (runtime === undefined) return { ...none, gate: 'deleted', state: 'disabled' };
  const {
    gate,
    gateWhy,
    gateBy,
    gateSince,
    pulled,
    holdUntil = 0,
    holdWhy,
    failingSince,
    lastSuccessAt,
    lastFailureAt,
  } = runtime;
  if (gate !== 'open') {
    const state = gate === 'paused' ? 'paused' : 'disabled';
    // By an import; since when, nobody knows.
    const closed_at = gateSince === 0 ? null : toIso(gateSince);
    return { ...none, gate, state, why: gateWhy ?? null, closed_by: gateBy ?? null, closed_at };
  }
  if (pulled) return { ...none, gate, state: 'pulled' };
  if (holdUntil > now)
    return { ...none, gate, state: 'holding', why: holdWhy ?? null, next_trial_at: toIso(holdUntil) };
  if (lastSuccessAt === undefined && lastFailureAt === undefined) return { ...none, gate, state: 'untried' };
  if (failingSince === undefined && isWell(runtime, now)) return { ...none, gate, state: 'ok' };
  // What a session left behind comes at its own time; while one is at work, nobody knows.
  const wakeAt = wakeAtOf(runtime) ?? 0;
  return { ...none, gate, state: 'failing', next_trial_at: wakeAt > now ? toIso(wakeAt) : null };
}

/** By this hour and the last. A refused message closes nothing, but whoever refuses every message gets nothing all the same. */
function isWell({ hours, lastClass }: RuntimeItem, now: number): boolean {
  const latest = readHours(hours, now).slice(0, 2);
  const failed = latest.reduce((sum, { fail }) => sum + fail, 0);
  const rate = rateOf(latest);
  if (lastClass === 'ok' || lastClass === 'throttled') return failed < FAILURES_OF_NOTE || (rate ?? 1) >= WELL_FROM;
  return (rate ?? 0) >= WELL_FROM;
}

function knownOf(runtime: RuntimeItem | undefined, now: number): Known {
  const { failingSince, recent = '', lastSuccessAt, lastFailureAt, lastFailureClass, lastFailureCode } = runtime ?? {};
  const hours = readHours(runtime?.hours, now);
  const failure = { at: iso(lastFailureAt), class: lastFailureClass ?? null, code: lastFailureCode ?? null };
  return {
    failing_since: iso(failingSince),
    failed_in_a_row: recent.length - recent.lastIndexOf('1') - 1,
    last_success_at: iso(lastSuccessAt),
    last_failure: lastFailureAt === undefined ? null : failure,
    success_rate_1h: rateOf(hours.slice(0, 1)),
    success_rate_24h: rateOf(hours),
  };
}

function rateOf(hours: readonly HourCount[]): number | null {
  const [ok, all] = hours.reduce(([good, sum], hour) => [good + hour.ok, sum + hour.ok + hour.fail], [0, 0]);
  return all === 0 ? null : Math.round((ok / all) * 1e4) / 1e4;
}
