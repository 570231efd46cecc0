/** Replays: one delivery now, or many as a job that `tend` carries out. */
import { askOrSkip } from '#core/ask.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import {
  type ApiCall,
  applicationOf,
  bodyOf,
  endpointIn,
  endpointOf,
  limitOf,
  listed,
  logAct,
  openCursor,
  PAGE_QUERY,
  pastOf,
  queryOf,
} from '#core/outbound/api/api-call.ts';
import { fieldsFor } from '#core/outbound/api/customer.ts';
import { listUpTo, requestId, time, typeName, why } from '#core/outbound/api/fields.ts';
import { iso } from '#core/outbound/protocol/endpoint-state.ts';
import { freshId, type JobId, type MessageId } from '#core/outbound/protocol/ids.ts';
import { type ApplicationItem, FINAL_STATUSES, type ReplayJobItem } from '#core/outbound/protocol/items.ts';
import { JOBS, JOBS_OVER, listOf, messageKey, replayJobKey } from '#core/outbound/protocol/keys.ts';
import { deliveryExpiry, keptOf } from '#core/outbound/protocol/timings.ts';
import { replayAsNew } from '#core/outbound/replay/replay-as-new.ts';
import { type ReplayRefusal, replayDelivery } from '#core/outbound/replay/replay-delivery.ts';
import { startReplayJob, steerReplayJob } from '#core/outbound/replay/replay-job.ts';
import { boolean, number, oneOf, text } from '#core/problem.ts';
import { refuse, refuseProblems } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { parseIso, toIso } from '#core/time.ts';
import { unknownMessage, wasSentTo } from './deliveries-api.ts';

const reference = text(/^[\s\S]{1,120}$/, 'an id, or uid:<uid>', 'correct it');

/** What a customer may give of them. */
export const CUSTOMER_REPLAY_FIELDS: readonly string[] = ['request_id', 'now', 'why'];
export const REPLAY_FIELDS = { request_id: requestId, now: boolean, as_new: boolean, why };
/** `now`: also one that waits for its retry. `as_new`: a copy under a new `webhook-id`. Once per `request_id`. */
export async function replayOne(call: ApiCall): Promise<Reply> {
  const { ports, rules, caller } = call;
  const fields = fieldsFor(call.customer, REPLAY_FIELDS, CUSTOMER_REPLAY_FIELDS);
  const body = bodyOf(call, fields, ['request_id']);
  const [endpoint, application] = [await endpointOf(call), await applicationOf(call)];
  const request = {
    ...keptOf(application, rules.retentionMs),
    ...{ ep: endpoint.id, msg: (call.path['msg'] ?? '') as MessageId, requestId: body.request_id, by: caller },
    ...given({ why: body.why }),
    now: body.now ?? false,
  };
  const replayed = body.as_new
    ? await replayAsNew(ports, rules.retentionMs, request)
    : await replayDelivery(ports, rules.retentionMs, request);
  if (replayed.kind === 'refused') return refuseReplay(replayed.cause);
  logAct(call, 'a delivery was replayed', { endpoint: endpoint.id, delivery: request.msg });
  const [message, generation] = replayed.kind === 'published' ? [replayed.id, 1] : [request.msg, replayed.gen];
  return json(202, { endpoint: endpoint.id, message, generation });
}

function refuseReplay(cause: ReplayRefusal): never {
  const told: Readonly<Record<ReplayRefusal, readonly [number, string]>> = {
    unknown_delivery: [404, 'no attempt has been made to deliver this message to this endpoint'],
    message_gone: [410, 'the message is gone: its retention is over, so it cannot be sent again'],
    gate_closed: [409, 'the endpoint is deleted'],
    not_final: [409, 'the delivery is not finished; if it waits for its retry, {"now":true} sends it now'],
    already_replayed: [409, 'somebody else replayed it a moment ago: read it again'],
  };
  const [status, detail] = told[cause];
  return refuse(status, cause, detail);
}

export const CUSTOMER_JOB_FIELDS = {
  ...{ app: reference, endpoint: reference, message: reference, types: listUpTo(100, typeName), why },
  ...{ since: time, until: time, as_of: time, dry_run: boolean },
  status: oneOf(...FINAL_STATUSES, 'retrying'),
};
export const JOB_FIELDS = { ...CUSTOMER_JOB_FIELDS, rate_per_second: number(1, 1_000, 'replays') };
export async function createJob(call: ApiCall): Promise<Reply> {
  const { ports, rules, caller } = call;
  const body = bodyOf(call, fieldsFor(call.customer, JOB_FIELDS, Object.keys(CUSTOMER_JOB_FIELDS)), ['app']);
  const application = await applicationOf(call, body.app);
  const endpoint = body.endpoint === undefined ? undefined : (await endpointIn(call, application.id, body.endpoint)).id;
  const [since, until] = [parseIso(body.since ?? ''), parseIso(body.until ?? '')];
  refuseBackward(since, until);
  if (body.message !== undefined) await refuseUnknown(call, application, body.message as MessageId);
  const now = ports.clock.now();
  const job: ReplayJobItem = {
    id: freshId('job', now, ports.ids.uuid()),
    app: application.id,
    ...given({ endpoint, message: body.message as MessageId | undefined, types: body.types, why: body.why }),
    status: body.status ?? 'dead',
    ...given({ since, until }),
    dryRun: body.dry_run ?? false,
    ratePerSecond: body.rate_per_second ?? rules.replaysPerSecond,
    by: caller,
    asOf: body.as_of === undefined ? now : pastOf(now, parseIso(body.as_of) ?? now, 'as_of'),
    state: 'running',
    counts: { seen: 0, replayed: 0, skipped: 0 },
    ...{ createdAt: now, updatedAt: now, version: 1 },
    expiresAt: deliveryExpiry(now, now, rules.retentionMs),
  };
  await startReplayJob(ports.store, job);
  await beginNow(call, job);
  return json(202, showJob(job));
}

/** Where this is lost, the next run of `tend` begins it. */
async function beginNow({ ports }: ApiCall, { id, app }: Pick<ReplayJobItem, 'id' | 'app'>): Promise<void> {
  const asker = { telemetry: ports.telemetry, stage: 'start_replay', fields: { job: id } };
  await askOrSkip(asker, () => ports.jobs.send([{ v: 1, replay: id }], app));
}

/** Both ends belong to the window. */
function refuseBackward(since: EpochMs | undefined, until: EpochMs | undefined): void {
  if (since === undefined || until === undefined || since <= until) return;
  refuseProblems([
    {
      path: 'since',
      given: `${toIso(since)}, which is after until (${toIso(until)})`,
      allowed: 'a window with a beginning before its end',
      fix: 'move since back, or until on',
    },
  ]);
}

/** None. To a customer, one of another application that is no broadcast sent to this one is the same. */
async function refuseUnknown(call: ApiCall, application: ApplicationItem, msg: MessageId): Promise<void> {
  const { ports, customer } = call;
  const message = await ports.store.get(messageKey(msg), 'consistent');
  if (customer === undefined) {
    if (message === undefined) refuseReplay('message_gone');
    return;
  }
  const isTheirs = message?.app === application.id || (message && (await wasSentTo(ports, application, message)));
  if (!isTheirs) unknownMessage(msg, application.id);
}

function showJob(job: ReplayJobItem) {
  const { id, app, state, status, counts, dryRun, ratePerSecond, by } = job;
  return {
    ...{ id, application: app, endpoint: job.endpoint ?? null, message: job.message ?? null, state, status },
    types: job.types ?? [],
    ...{ since: iso(job.since), until: iso(job.until), as_of: iso(job.asOf), dry_run: dryRun },
    rate_per_second: ratePerSecond,
    counts: { ...counts },
    ...{ why: job.why ?? null, by, created_at: toIso(job.createdAt), updated_at: toIso(job.updatedAt) },
  };
}

export type ReplayJobView = ReturnType<typeof showJob>;

export async function showOneJob(call: ApiCall): Promise<Reply> {
  return json(200, showJob(await jobOf(call)));
}

async function jobOf(call: ApiCall): Promise<ReplayJobItem> {
  const id = call.path['job'] ?? '';
  const job = await call.ports.store.get(replayJobKey(id as JobId), 'consistent');
  if (job !== undefined && isOwn(call, job)) return job;
  return refuse(404, 'unknown_job', `there is no replay job ${id.slice(0, 80)}`);
}

const isOwn = ({ customer }: ApiCall, { app }: ReplayJobItem): boolean =>
  customer === undefined || customer.application.id === app;

interface JobPlace {
  readonly list: typeof JOBS | typeof JOBS_OVER;
  readonly cursor?: string;
}
/** Those that run or are paused, then those that are over, each newest first. A customer sees their own: a page may be short and still have a cursor. */
export async function listJobs(call: ApiCall): Promise<Reply> {
  queryOf(call, PAGE_QUERY);
  const { store } = call.ports;
  const { list, ...at } = openCursor<JobPlace>(call) ?? { list: JOBS };
  const limit = limitOf(call);
  let page = await store.query({ ...listOf(list), newestFirst: true, limit, ...at });
  let next: JobPlace | undefined = page.cursor === undefined ? undefined : { list, cursor: page.cursor };
  if (next === undefined && list === JOBS) {
    // What is left of the page is of those that are over.
    const left = limit - page.items.length;
    const over = left === 0 ? undefined : await store.query({ ...listOf(JOBS_OVER), newestFirst: true, limit: left });
    page = { items: [...page.items, ...(over?.items ?? [])] };
    const cursor = over?.cursor;
    if (over === undefined) next = { list: JOBS_OVER };
    else if (cursor !== undefined) next = { list: JOBS_OVER, cursor };
  }
  const items = await store.getMany(page.items.map(({ pk }) => replayJobKey(pk.slice(2) as JobId)));
  const data = items.flatMap(job => (job && isOwn(call, job) ? [showJob(job)] : []));
  return listed(call, data, next);
}

/** Pause, resume or cancel. */
export const steerJob =
  (to: 'running' | 'paused' | 'canceled') =>
  async (call: ApiCall): Promise<Reply> => {
    bodyOf(call, {});
    const { id, app, state } = await jobOf(call);
    if (!(await steerReplayJob(call.ports.store, id, to, call.ports.clock.now())))
      return refuse(409, 'job_over', `the job is ${state}, or changed a moment ago: read it again`);
    if (to === 'running') await beginNow(call, { id, app });
    return showOneJob(call);
  };
