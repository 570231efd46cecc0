/** How an endpoint is: gate, breaker, what waits, what came of the last day. Out of its runtime item; no metric is asked. */
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import type { ItemPage } from '#core/outbound/ports.ts';
import { type HourCount, readHours } from '#core/outbound/protocol/hours.ts';
import type { EndpointItem, RowItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import {
  controlKey,
  deadRange,
  endpointsRange,
  queueOf,
  rowKind,
  runtimeKey,
  wakeAtOf,
} from '#core/outbound/protocol/keys.ts';
import { backlogKey, readBacklog } from '#core/outbound/tend/backlog.ts';
import { guardOf } from '#core/outbound/tend/egress.ts';
import { readSummary, SUMMARY } from '#core/outbound/tend/summary.ts';
import { json, type Reply } from '#core/reply.ts';
import { HOUR_MS, toIso } from '#core/time.ts';
import type { DayCounts, EndpointState } from '#core/words.ts';
import { type ApiCall, anyText, applicationOf, endpointOf, queryOf } from './api-call.ts';

const COUNTED = 1_000;
const iso = (at: number | undefined): string | null => (at === undefined ? null : toIso(at));

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

export async function showHealth(call: ApiCall): Promise<Reply> {
  const { store, clock } = call.ports;
  const endpoint = await endpointOf(call);
  const runtime = await store.get(runtimeKey(endpoint.id), 'consistent');
  const now = clock.now();
  const state = stateOf(runtime, now);
  const partition = queueOf(endpoint.id);
  // A count of what comes and goes all the time.
  const waiting = { table: 'outbox', partition, from: 'A', to: 'B~', limit: COUNTED, read: 'eventual' } as const;
  const rows = await store.query<RowItem>(waiting);
  const dead = await store.query({ ...deadRange(endpoint.id), limit: COUNTED });
  const count = rows.cursor === undefined ? rows.items.length : COUNTED;
  // Counted by the last audit, where it is much.
  const much =
    rows.cursor === undefined ? undefined : readBacklog(await store.get(backlogKey(endpoint.id), 'eventual'), now);
  const oldest = Math.min(...rows.items.map(({ createdAt }) => createdAt));
  const last = Math.max(runtime?.lastSuccessAt ?? 0, runtime?.lastFailureAt ?? 0);
  return json(200, {
    ...state,
    breaker: (runtime?.opens ?? 0) === 0 ? 'closed' : runtime?.recovered === undefined ? 'open' : 'half_open',
    opened_times: runtime?.opens ?? 0,
    last_attempt_at: last === 0 ? null : toIso(last),
    egress_suspected: guardOf(await store.get(controlKey(EGRESS), 'eventual'), now) !== undefined,
    waiting: {
      count,
      retrying: rows.items.filter(row => rowKind(row) === 'retry').length,
      more: rows.cursor !== undefined,
      about: much?.waiting ?? null,
      oldest_at: rows.items.length === 0 ? null : toIso(oldest),
    },
    dead: dead.items.length,
    dead_more: dead.cursor !== undefined,
    died: runtime?.dead ?? 0,
    response_ms: runtime === undefined ? null : Math.round(runtime.ewmaMs),
    last_day: dayOf(readHours(runtime?.hours, now)),
  });
}

const dayOf = (hours: readonly HourCount[]): DayCounts => ({
  successes: hours.map(({ ok }) => ok),
  failures: hours.map(({ fail }) => fail),
});

/** All endpoints of all applications, as the last endpoint check found them (each ten minutes). */
export async function showSummary({ ports }: ApiCall): Promise<Reply> {
  const [summary, egress] = await Promise.all([
    ports.store.get(controlKey(SUMMARY), 'eventual'),
    ports.store.get(controlKey(EGRESS), 'eventual'),
  ]);
  const seen = readSummary(summary);
  const guard = guardOf(egress, ports.clock.now());
  return json(200, {
    as_of: iso(seen?.at),
    endpoints: seen?.endpoints ?? 0,
    on_hold: seen?.onHold ?? 0,
    paused: seen?.paused ?? 0,
    disabled: seen?.disabled ?? 0,
    dead: seen?.dead ?? 0,
    died: seen?.died ?? 0,
    waiting: seen?.waiting ?? 0,
    oldest_waiting_at: iso(seen?.oldestWaiting),
    egress_guard: guard === undefined ? null : { silent: guard.held, counted: guard.counted, seen_at: toIso(guard.at) },
  });
}

const PAGE = 250;
export const STATS_QUERY = { app: anyText, endpoint: anyText };
/** Attempts by hour of the last day, of one endpoint or of an application (its first 250 endpoints), and of each. */
export async function showStats(call: ApiCall): Promise<Reply> {
  const { store, clock } = call.ports;
  const { app = '', endpoint } = queryOf(call, STATS_QUERY);
  const now = clock.now();
  const one = endpoint === undefined ? undefined : await endpointOf({ ...call, path: { app, ep: endpoint } });
  const of = one?.app ?? (await applicationOf(call, app)).id;
  const all = { ...endpointsRange(of), limit: PAGE };
  const page: ItemPage<EndpointItem> = one ? { items: [one] } : await store.query<EndpointItem>(all);
  const ids = page.items.filter(({ deletedAt }) => deletedAt === undefined).map(({ id }) => id);
  const runtimes = await store.getMany(ids.map(runtimeKey));
  const each = runtimes.map(runtime => readHours(runtime?.hours, now));
  const hours = Array.from({ length: 24 }, (_, back) => {
    const successes = each.reduce((sum, list) => sum + (list[back]?.ok ?? 0), 0);
    const failures = each.reduce((sum, list) => sum + (list[back]?.fail ?? 0), 0);
    const begins = toIso(Math.floor(now / HOUR_MS - back) * HOUR_MS);
    return { hour: begins, attempts: successes + failures, successes, failures };
  });
  return json(200, {
    application: of,
    endpoints: ids.length,
    complete: page.cursor === undefined,
    hours,
    each: each.map((list, n) => ({ endpoint: ids[n], ...dayOf(list) })),
  });
}
