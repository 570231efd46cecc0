/**
 * Fan-out: one row per endpoint that matches, one wake-up per endpoint, then the job is done. Rows first, wake-ups second,
 * acknowledgement last: a job may run any number of times, at once or days later.
 */
import { given } from '#core/given.ts';
import { allOf } from '#core/outbound/pages.ts';
import type { FanOutJob, ItemStore, Job, OperationalJob, OutboundPorts, WalkJob } from '#core/outbound/ports.ts';
import { liveRow } from '#core/outbound/protocol/delivery-writes.ts';
import type { AppId, EndpointId, JobId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, EndpointItem, MessageItem } from '#core/outbound/protocol/items.ts';
import { APPS, applicationKey, listOf, messageKey, newAppsRange } from '#core/outbound/protocol/keys.ts';
import { keptOf } from '#core/outbound/protocol/timings.ts';
import { dataOf } from '#core/outbound/publish/envelope.ts';
import { type BodyPorts, readBody } from '#core/outbound/publish/message-body.ts';
import type { Telemetry } from '#core/ports.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { EndpointsOf } from './endpoints-of.ts';
import { mismatchOf, wantedThen } from './match-endpoint.ts';
import type { NoteRows } from './note-rows.ts';

export interface FanOutPorts extends BodyPorts, Pick<OutboundPorts, 'store' | 'jobs' | 'wake' | 'clock'> {
  readonly endpoints: EndpointsOf;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
  readonly noteRows: NoteRows;
  /** Publishes an operational event of a session. */
  readonly publishOperational: (op: OperationalJob['op']) => Promise<void>;
  /** Goes on with a replay job. */
  readonly runReplay: (job: JobId) => Promise<void>;
}
export interface FanOutRules {
  readonly retentionMs: number;
}

/** More endpoints than this are fanned out by jobs of their own, `PER_JOB` endpoints each. */
const SPLIT_ABOVE = 500;
const PER_JOB = 250;
const WALK_PAGE = 100;
/** The index is behind the table by seconds. */
const LAG_MS = 10 * MINUTE_MS;

/** Runs the jobs of one batch; answers which of them must come back, with why. Wake-ups of one batch are shared. */
export async function fanOut<Id>(
  ports: FanOutPorts,
  rules: FanOutRules,
  batch: readonly { readonly id: Id; readonly job: Job }[],
): Promise<ReadonlyMap<Id, unknown>> {
  const failed = new Map<Id, unknown>();
  const woken = new Map<EndpointId, Set<Id>>();
  // 1. Each job by itself: rows, or further jobs.
  await Promise.all(
    batch.map(async ({ id, job }) => {
      try {
        for (const ep of await runJob(ports, rules, job)) woken.set(ep, (woken.get(ep) ?? new Set()).add(id));
      } catch (error) {
        failed.set(id, error);
      }
    }),
  );
  // 2. One wake-up per endpoint; where they are not accepted, the jobs that need them come back.
  try {
    if (woken.size > 0) await ports.wake.send([...woken.keys()].map(ep => ({ v: 1, ep })));
  } catch (error) {
    for (const ids of woken.values()) for (const id of ids) failed.set(id, error);
  }
  return failed;
}

/** The endpoints whose rows were put. */
function runJob(ports: FanOutPorts, rules: FanOutRules, job: Job): Promise<readonly EndpointId[]> {
  if ('walk' in job) return walk(ports, job);
  if ('replay' in job) return ports.runReplay(job.replay as JobId).then(() => []);
  if ('op' in job) return ports.publishOperational(job.op).then(() => []);
  return fanOutOne(ports, rules, job);
}

async function fanOutOne(ports: FanOutPorts, rules: FanOutRules, job: FanOutJob): Promise<readonly EndpointId[]> {
  const { store, jobs, telemetry } = ports;
  const msg = job.msg as MessageId;
  const app = job.app as AppId;
  // 1. The item is the truth, the job only names it.
  const [message, application] = await Promise.all([
    // It never changes: a copy that lags is as good, but for "there is none".
    store.get(messageKey(msg), 'eventual').then(seen => seen ?? store.get(messageKey(msg), 'consistent')),
    store.get(applicationKey(app), 'consistent'),
  ]);
  if (message === undefined || message.bodyRemovedAt !== undefined) {
    telemetry.log('warn', { stage: 'fan_out', cause: 'message_gone', msg, app });
    return [];
  }
  if (application === undefined || application.state === 'erasing') return [];
  // 2. Who wants it.
  const known = await ports.endpoints(app, application, job);
  const part = known.filter(endpoint => job.again === undefined || wantedThen(endpoint, message));
  const wanting = await matching(ports, message, part);
  if (wanting.length > SPLIT_ABOVE) {
    await jobs.send(
      partsOf(
        job,
        wanting.map(({ id }) => id),
      ),
      app,
    );
    return [];
  }
  // 3. Their rows.
  return putRows(ports, { message, application }, wanting, rules.retentionMs);
}

/** W28, and W2. The same key is the same row. Answers whom to wake: a reader looks for itself. */
export async function putRows(
  { store, clock, noteRows }: Pick<FanOutPorts, 'clock' | 'noteRows'> & { readonly store: Pick<ItemStore, 'putMany'> },
  { message, application }: { readonly message: MessageItem; readonly application: ApplicationItem },
  wanting: readonly EndpointItem[],
  retentionMs: number,
): Promise<readonly EndpointId[]> {
  const woken = wanting.filter(({ kind }) => kind !== 'pull').map(({ id }) => id);
  if (woken.length > 0) await noteRows(application.id);
  const now = clock.now();
  const { id: msg, createdAt, type } = message;
  const kept = keptOf(application, retentionMs);
  await store.putMany(
    'outbox',
    wanting.map(({ id: ep }) => liveRow({ ep, msg, createdAt, type, ...kept }, now, retentionMs)),
  );
  return woken;
}

/** The endpoints that get a message; its body is read only where a filter asks for it. */
export async function matching(
  ports: BodyPorts,
  message: MessageItem,
  endpoints: readonly EndpointItem[],
): Promise<readonly EndpointItem[]> {
  const filtered = endpoints.some(({ filter }) => filter !== undefined);
  const body = (filtered ? await readBody(ports, message) : undefined) ?? new Uint8Array();
  const data = dataOf(body, message.dataAt);
  return endpoints.filter(endpoint => mismatchOf(endpoint, message, () => data) === undefined);
}

/** Ranges of endpoint ids: an endpoint between two of them that is created meanwhile belongs to one. */
function partsOf(job: FanOutJob, ids: readonly EndpointId[]): FanOutJob[] {
  const { v, app, msg, again } = job;
  const starts = ids.filter((_, at) => at % PER_JOB === 0);
  return starts.map((start, at) => {
    const from = at === 0 ? job.from : start;
    const to = starts[at + 1] ?? job.to;
    return { v, app, msg, ...given({ again, from, to }) };
  });
}

/** A page of applications: a job for each, then the walk goes on, and only then this one is done. */
async function walk({ store, jobs }: FanOutPorts, job: WalkJob): Promise<readonly EndpointId[]> {
  const again = job.again && { again: job.again };
  const send = async (apps: readonly string[]): Promise<void> => {
    for (const app of apps) await jobs.send([{ v: 1, app, msg: job.walk, ...again }], app);
  };
  // 1. By the index, which lags.
  const page = await store.query({ ...listOf(APPS), limit: WALK_PAGE, ...given({ cursor: job.after }) });
  await send(page.items.map(({ pk }) => pk.slice(2)));
  if (page.cursor !== undefined) {
    await jobs.send([{ v: 1, walk: job.walk, after: page.cursor, ...again }], 'broadcast');
    return [];
  }
  // 2. At the end, those that were created a moment before it or while it walked: by the table itself.
  const message = await store.get(messageKey(job.walk as MessageId), 'consistent');
  if (message === undefined) return [];
  const since = await allOf(store, newAppsRange(message.createdAt - LAG_MS));
  await send(since.map(({ id }) => id));
  return [];
}
