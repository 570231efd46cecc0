/** How an endpoint is: gate, breaker, what waits, what came of the last day. Out of its runtime item; no metric is asked. */
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import { readHours } from '#core/outbound/protocol/hours.ts';
import type { EndpointItem, RowItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { controlKey, deadRange, endpointsRange, queueOf, runtimeKey } from '#core/outbound/protocol/keys.ts';
import { backlogKey, readBacklog } from '#core/outbound/tend/backlog.ts';
import { guardOf } from '#core/outbound/tend/egress.ts';
import { readSummary, SUMMARY } from '#core/outbound/tend/summary.ts';
import { json, type Reply } from '#core/reply.ts';
import { HOUR_MS, toIso } from '#core/time.ts';
import { type ApiCall, anyText, applicationOf, endpointOf, queryOf } from './api-call.ts';

const COUNTED = 1_000;
const iso = (at: number | undefined): string | null => (at === undefined ? null : toIso(at));

export const STATES = ['ok', 'failing', 'holding', 'paused', 'disabled'] as const;
type State = (typeof STATES)[number];
type ClosedBy = NonNullable<RuntimeItem['gateBy']>;
/** The words that lists show as well. */
export function stateOf(
  runtime: RuntimeItem | undefined,
  now: number,
): { gate: string; state: State; why: string | null; closed_by: ClosedBy | null } {
  if (runtime === undefined) return { gate: 'deleted', state: 'disabled', why: null, closed_by: null };
  const { gate, gateWhy, gateBy, holdUntil, holdWhy, failingSince } = runtime;
  if (gate !== 'open') {
    const state = gate === 'paused' ? 'paused' : 'disabled';
    return { gate, state, why: gateWhy ?? null, closed_by: gateBy ?? null };
  }
  const open = { gate, closed_by: null };
  if ((holdUntil ?? 0) > now) return { ...open, state: 'holding', why: holdWhy ?? null };
  return { ...open, state: failingSince === undefined ? 'ok' : 'failing', why: null };
}

export async function showHealth(call: ApiCall): Promise<Reply> {
  const { store, clock } = call.ports;
  const endpoint = await endpointOf(call);
  const runtime = await store.get(runtimeKey(endpoint.id), 'consistent');
  const now = clock.now();
  const state = stateOf(runtime, now);
  const partition = queueOf(endpoint.id);
  const rows = await store.query<RowItem>({ table: 'outbox', partition, from: 'A', to: 'B~', limit: COUNTED });
  const dead = await store.query({ ...deadRange(endpoint.id), limit: COUNTED });
  const count = rows.cursor === undefined ? rows.items.length : COUNTED;
  // Counted by the last audit, where it is much.
  const much =
    rows.cursor === undefined ? undefined : readBacklog(await store.get(backlogKey(endpoint.id), 'eventual'), now);
  const oldest = Math.min(...rows.items.map(({ createdAt }) => createdAt));
  const hours = readHours(runtime?.hours, now);
  const rate = (list: typeof hours): number | null => {
    const [ok, all] = list.reduce(([good, sum], hour) => [good + hour.ok, sum + hour.ok + hour.fail], [0, 0]);
    return all === 0 ? null : Math.round((ok / all) * 1e4) / 1e4;
  };
  const last = Math.max(runtime?.lastSuccessAt ?? 0, runtime?.lastFailureAt ?? 0);
  const failure = {
    at: iso(runtime?.lastFailureAt),
    class: runtime?.lastFailureClass ?? null,
    code: runtime?.lastFailureCode ?? null,
  };
  return json(200, {
    ...state,
    breaker: (runtime?.opens ?? 0) === 0 ? 'closed' : runtime?.recovered === undefined ? 'open' : 'half_open',
    opened_times: runtime?.opens ?? 0,
    last_attempt_at: last === 0 ? null : toIso(last),
    failing_since: iso(runtime?.failingSince),
    egress_suspected: guardOf(await store.get(controlKey(EGRESS), 'eventual'), now) !== undefined,
    next_trial_at: state.state === 'holding' ? iso(runtime?.holdUntil) : null,
    last_success_at: iso(runtime?.lastSuccessAt),
    last_failure: runtime?.lastFailureAt === undefined ? null : failure,
    waiting: {
      count,
      more: rows.cursor !== undefined,
      about: much?.waiting ?? null,
      oldest_at: rows.items.length === 0 ? null : toIso(oldest),
    },
    dead: dead.items.length,
    dead_more: dead.cursor !== undefined,
    died: runtime?.dead ?? 0,
    success_rate_1h: rate(hours.slice(0, 1)),
    success_rate_24h: rate(hours),
    response_ms: runtime === undefined ? null : Math.round(runtime.ewmaMs),
  });
}

/** All endpoints of all applications, as the last audit found them (each ten minutes). */
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
    oldest_waiting_at: iso(seen?.oldestWaiting),
    egress_guard: guard === undefined ? null : { silent: guard.held, counted: guard.counted, seen_at: toIso(guard.at) },
  });
}

const PAGE = 250;
/** Attempts by hour of the last day, of one endpoint or of an application (its first 250 endpoints). */
export async function showStats(call: ApiCall): Promise<Reply> {
  const { store, clock } = call.ports;
  const { app = '', endpoint } = queryOf(call, { app: anyText, endpoint: anyText });
  const application = await applicationOf(call, app);
  const now = clock.now();
  const page = await store.query<EndpointItem>({ ...endpointsRange(application.id), limit: PAGE });
  const one = endpoint === undefined ? undefined : await endpointOf({ ...call, path: { app, ep: endpoint } });
  const ids = one ? [one.id] : page.items.filter(({ deletedAt }) => deletedAt === undefined).map(({ id }) => id);
  const runtimes = await store.getMany(ids.map(runtimeKey));
  const each = runtimes.map(runtime => readHours(runtime?.hours, now));
  const hours = Array.from({ length: 24 }, (_, back) => {
    const successes = each.reduce((sum, list) => sum + (list[back]?.ok ?? 0), 0);
    const failures = each.reduce((sum, list) => sum + (list[back]?.fail ?? 0), 0);
    const begins = toIso(Math.floor(now / HOUR_MS - back) * HOUR_MS);
    return { hour: begins, attempts: successes + failures, successes, failures };
  });
  return json(200, {
    application: application.id,
    endpoints: ids.length,
    complete: one !== undefined || page.cursor === undefined,
    hours,
  });
}
