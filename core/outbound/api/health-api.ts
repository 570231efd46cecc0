/** How an endpoint is: gate, breaker, what waits, what came of the last day. Out of its runtime item; no metric is asked. */
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import type { ItemPage } from '#core/outbound/ports.ts';
import { iso, stateOf } from '#core/outbound/protocol/endpoint-state.ts';
import { type HourCount, readHours } from '#core/outbound/protocol/hours.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { controlKey, deadRange, endpointsRange, rowKind, rowsRange, runtimeKey } from '#core/outbound/protocol/keys.ts';
import { backlogKey, readBacklog } from '#core/outbound/tend/backlog.ts';
import { guardOf } from '#core/outbound/tend/egress.ts';
import { readSummary, SUMMARY } from '#core/outbound/tend/summary.ts';
import { json, type Reply } from '#core/reply.ts';
import { HOUR_MS, toIso } from '#core/time.ts';
import type { DayCounts } from '#core/words.ts';
import { type ApiCall, anyText, applicationOf, endpointOf, queryOf } from './api-call.ts';

/** Of what waits and of what is dead: who looks at an endpoint asks each five seconds. */
const COUNTED = 500;
export async function showHealth(call: ApiCall): Promise<Reply> {
  const { store, clock } = call.ports;
  const endpoint = await endpointOf(call);
  const runtime = await store.get(runtimeKey(endpoint.id), 'consistent');
  const now = clock.now();
  const state = stateOf(runtime, now);
  // A count of what comes and goes all the time.
  const rows = await store.query({ ...rowsRange(endpoint.id), limit: COUNTED, read: 'eventual' });
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
    // Not known of a check by an older version.
    failing: seen === undefined ? 0 : (seen.failing ?? null),
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
