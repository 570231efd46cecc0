/** Erasing an application, counting first what that would remove, and the report of it, which is kept. */
import { type Erasure, readErasure, startErase } from '#core/outbound/erase/erasure.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import { GRACE_MS } from '#core/outbound/protocol/timings.ts';
import { oneOf } from '#core/problem.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { HOUR_MS, toIso } from '#core/time.ts';
import { type ApiCall, applicationOf, logAct, queryOf } from './api-call.ts';

const BACKUPS_MS = 35 * 24 * HOUR_MS;
export const ERASURE_QUERY = { dry_run: oneOf('true', 'false') };
export const ERASE_QUERY = { erase: oneOf('true'), ...ERASURE_QUERY };

/** Erases it, with everything of its customer: minutes to hours, by `tend`. `dry_run` counts and changes nothing. */
export async function eraseApp(call: ApiCall): Promise<Reply> {
  const query = queryOf(call, ERASE_QUERY);
  const { id } = await applicationOf(call);
  if (query['erase'] !== 'true')
    refuse(
      400,
      'invalid_request',
      'this erases the application and everything that belongs to it: add ?erase=true to confirm',
    );
  const dryRun = query['dry_run'] === 'true';
  await startErase(call.ports, id, call.caller, dryRun);
  if (!dryRun) logAct(call, 'an application is being erased', { application: id });
  return json(202, showErasure(call, await erasureOf(call, id, dryRun)));
}

/** How far it is, or its report. By the id also when the application is gone; by `uid:` only until then. */
export async function showOneErasure(call: ApiCall): Promise<Reply> {
  const dryRun = queryOf(call, ERASURE_QUERY)['dry_run'] === 'true';
  const ref = call.path['app'] ?? '';
  const app = ref.startsWith('uid:') ? (await applicationOf(call)).id : (ref as AppId);
  return json(200, showErasure(call, await erasureOf(call, app, dryRun)));
}

async function erasureOf({ ports }: ApiCall, app: AppId, dryRun: boolean): Promise<Erasure> {
  const found = await readErasure(ports.store, app, dryRun);
  const what = dryRun ? 'dry run of an erasure' : 'erasure';
  return found ?? refuse(404, 'unknown_erasure', `there is no ${what} of ${app.slice(0, 80)}`);
}

function showErasure({ rules }: ApiCall, erasure: Erasure) {
  const { app, dryRun, phase, by, startedAt, finishedAt, removed } = erasure;
  const words = dryRun ? (['counting', 'counted'] as const) : (['erasing', 'erased'] as const);
  const done = finishedAt !== undefined;
  return {
    application: app,
    dry_run: dryRun,
    state: words[done ? 1 : 0],
    phase,
    by,
    started_at: toIso(startedAt),
    finished_at: done ? toIso(finishedAt) : null,
    counts: removed,
    stays: done && !dryRun ? staysOf(finishedAt, rules.retentionMs) : [],
  };
}

export type ErasureView = ReturnType<typeof showErasure>;

/** What no erasure reaches, and until when it is there. */
function staysOf(at: number, retentionMs: number) {
  const until = (ms: number): string => toIso(at + ms);
  return [
    { what: 'backups of both tables (point-in-time recovery)', until: until(BACKUPS_MS) },
    { what: 'messages of uid:operations that name its endpoints', until: until(retentionMs + GRACE_MS) },
    { what: 'counters of its tests and of its messages a second, which are numbers', until: until(HOUR_MS) },
    { what: 'log lines that name its ids and no content: as long as the environment keeps logs', until: null },
    { what: 'broadcasts, which are messages of uid:broadcast', until: null },
    { what: 'this report', until: null },
  ];
}
