/**
 * A replay of many deliveries: an item that tend runs page by page. The page's place is written after it; a page that runs
 * twice replays nothing twice, because what was replayed since the job's `asOf` is left alone.
 */

import { eq, missing } from '#core/condition.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, Placed, WakeQueue } from '#core/outbound/ports.ts';
import type { EndpointId, JobId } from '#core/outbound/protocol/ids.ts';
import type { RecordItem, ReplayJobItem, RowItem } from '#core/outbound/protocol/items.ts';
import {
  applicationKey,
  type DeliveryId,
  dayOf,
  deadRange,
  deliveryOfRecord,
  endpointsRange,
  JOBS,
  listedAt,
  listOf,
  messageKey,
  queueOf,
  recordsRange,
  replayJobKey,
  runtimeKey,
} from '#core/outbound/protocol/keys.ts';
import { keptOf } from '#core/outbound/protocol/timings.ts';
import type { Clock, Ids } from '#core/ports.ts';
import { replayOnce } from './replay-delivery.ts';

export interface ReplayJobPorts {
  readonly store: ItemStore;
  readonly wake: WakeQueue;
  readonly clock: Clock;
  readonly ids: Ids;
}
export interface ReplayJobRules {
  readonly retentionMs: number;
}

const DAY_MS = 86_400_000;
const PAGE = 50;
/** Rows of one job that wait at one endpoint: a retry waits behind no more replays than this. */
const OUTSTANDING = 100;

/** How far a job is: endpoints that are left, the place within the first of them. */
interface Place {
  readonly ep: EndpointId;
  /** The day of the `D#` partition, where it goes by days. */
  readonly day?: string;
  readonly cursor?: string;
}

/** Puts the job on the list; tend runs it. False: this id is there. */
export async function startReplayJob(store: ItemStore, job: ReplayJobItem): Promise<boolean> {
  const item = { ...job, ...listedAt(JOBS, job.createdAt, job.id) };
  return (
    (await store.put({ kind: 'put', key: replayJobKey(job.id), item, condition: missing('pk') })).kind === 'applied'
  );
}

/** Pause, resume or cancel. False: it is over, or there is none. */
export async function steerReplayJob(
  store: ItemStore,
  id: JobId,
  to: 'running' | 'paused' | 'canceled',
  now: EpochMs,
): Promise<boolean> {
  const job = await store.get(replayJobKey(id), 'consistent');
  if (job === undefined || job.state === 'done' || job.state === 'canceled') return job?.state === to;
  const set = { state: to, updatedAt: now, version: job.version + 1 };
  const result = await store.update({
    kind: 'update',
    key: replayJobKey(id),
    condition: eq('version', job.version),
    set,
  });
  return result.kind === 'applied';
}

/** Runs every running job for a while; `until`: nothing new begins after. `finished` is told each that is done. */
export async function runReplayJobs(
  ports: ReplayJobPorts,
  rules: ReplayJobRules,
  until: EpochMs,
  finished: (job: ReplayJobItem) => Promise<void> = async () => {},
): Promise<void> {
  const listed = await ports.store.query({ ...listOf(JOBS), limit: 200 });
  for (const { pk } of listed.items) {
    const job = await ports.store.get(replayJobKey(pk.slice(2) as JobId), 'consistent');
    if (job?.state !== 'running' || ports.clock.now() >= until) continue;
    const ended = await runPages(ports, rules, job, until);
    if (ended?.state === 'done') await finished(ended);
  }
}

async function runPages(
  ports: ReplayJobPorts,
  rules: ReplayJobRules,
  from: ReplayJobItem,
  until: EpochMs,
): Promise<ReplayJobItem | undefined> {
  let job: ReplayJobItem | undefined = from;
  // A minute's share of its rate.
  let left = from.ratePerSecond * 60;
  while (job?.state === 'running' && left > 0 && ports.clock.now() < until) {
    const page = await runPage(ports, rules, job);
    left -= Math.max(1, page.seen);
    const counts = {
      seen: job.counts.seen + page.seen,
      replayed: job.counts.replayed + page.replayed,
      skipped: job.counts.skipped + page.skipped,
    };
    job = await keep(ports, job, counts, page.next);
    if (page.full) return job;
  }
  return job;
}

interface PageEnd {
  readonly seen: number;
  readonly replayed: number;
  readonly skipped: number;
  /** Undefined: nothing is left. */
  readonly next: Place | undefined;
  /** As many as may wait at the endpoint do: next minute. */
  readonly full?: true;
}

async function runPage(ports: ReplayJobPorts, rules: ReplayJobRules, job: ReplayJobItem): Promise<PageEnd> {
  const { store, wake, clock, ids } = ports;
  // 1. How far it is, and whether the endpoint has room for more.
  const place = job.cursor === undefined ? await firstPlace(ports, job) : (JSON.parse(job.cursor) as Place);
  if (place === undefined) return { seen: 0, replayed: 0, skipped: 0, next: undefined };
  if (!job.dryRun && (await outstanding(ports, place.ep, job.id)) >= OUTSTANDING) {
    return { seen: 0, replayed: 0, skipped: 0, next: place, full: true };
  }
  // 2. A page of deliveries.
  const { deliveries, next } = await pageOf(ports, job, place);
  const wanted = deliveries.filter(each => fits(job, each));
  let replayed = 0;
  // 3. Each is a replay of its own; refused is skipped.
  const [runtime, application] = await Promise.all([
    store.get(runtimeKey(place.ep), 'consistent'),
    store.get(applicationKey(job.app), 'eventual'),
  ]);
  const kept = application === undefined ? {} : keptOf(application, rules.retentionMs);
  const reachable = runtime !== undefined && runtime.gate !== 'deleted';
  for (const { delivery } of job.dryRun || !reachable ? [] : wanted) {
    if ((await store.get(messageKey(delivery.msg), 'consistent')) === undefined) continue;
    const result = await replayOnce({ store, ids }, { ...delivery, ...kept }, rules.retentionMs, {
      replayId: job.id,
      by: job.by,
      ...(job.why === undefined ? {} : { why: job.why }),
      now: clock.now(),
      alsoRetrying: job.status === 'retrying',
      asOf: job.asOf,
      job: job.id,
    });
    if (result.kind === 'accepted') replayed += 1;
  }
  // 4. One token for the page.
  if (replayed > 0) await wake.send([{ v: 1, ep: place.ep }]);
  const counted = job.dryRun ? wanted.length : replayed;
  return { seen: deliveries.length, replayed: counted, skipped: wanted.length - counted, next };
}

/** Written after the page. Refused: a person steered it meanwhile. */
async function keep(
  { store, clock }: ReplayJobPorts,
  job: ReplayJobItem,
  counts: ReplayJobItem['counts'],
  next: Place | undefined,
): Promise<ReplayJobItem | undefined> {
  const result = await store.update({
    kind: 'update',
    key: replayJobKey(job.id),
    condition: eq('version', job.version),
    set: {
      counts,
      version: job.version + 1,
      updatedAt: clock.now(),
      ...(next === undefined ? { state: 'done' } : { cursor: JSON.stringify(next) }),
    },
  });
  return result.kind === 'applied' ? result.item : undefined;
}

interface Found {
  readonly delivery: DeliveryId;
  readonly record: RecordItem | undefined;
  readonly type?: string;
}

/** Dead deliveries by the index, all others by days of the table. */
async function pageOf(
  ports: ReplayJobPorts,
  job: ReplayJobItem,
  place: Place,
): Promise<{ deliveries: readonly Found[]; next: Place | undefined }> {
  const { store, clock } = ports;
  const { ep, cursor } = place;
  const at = cursor === undefined ? {} : { cursor };
  if (job.status === 'dead') {
    const page = await store.query({ ...deadRange(ep), limit: PAGE, ...at });
    const deliveries = page.items.map(item => {
      const { pk, sk, type } = item as Placed<{ type?: string }>;
      return { delivery: deliveryOfRecord({ pk, sk }), record: undefined, ...(type === undefined ? {} : { type }) };
    });
    return {
      deliveries,
      next: page.cursor === undefined ? await nextPlace(ports, job, ep) : { ep, cursor: page.cursor },
    };
  }
  const day = place.day ?? dayOf(job.since ?? clock.now() - 30 * DAY_MS);
  const page = await store.query({ ...recordsRange(ep, day), limit: PAGE, ...at });
  const deliveries = page.items.map(item => ({
    delivery: deliveryOfRecord(item),
    record: item,
    ...(item.type === undefined ? {} : { type: item.type }),
  }));
  if (page.cursor !== undefined) return { deliveries, next: { ep, day, cursor: page.cursor } };
  const following = nextDay(day);
  const last = dayOf(Math.min(job.until ?? clock.now(), clock.now()));
  return { deliveries, next: following > last ? await nextPlace(ports, job, ep) : { ep, day: following } };
}

function nextDay(day: string): string {
  const [year, month, date] = [Number(day.slice(0, 4)), Number(day.slice(4, 6)), Number(day.slice(6))];
  const days = [
    31,
    year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28,
    31,
    30,
    31,
    30,
    31,
    31,
    30,
    31,
    30,
    31,
  ];
  const pad = (n: number): string => String(n).padStart(2, '0');
  if (date < (days[month - 1] ?? 31)) return `${year}${pad(month)}${pad(date + 1)}`;
  return month < 12 ? `${year}${pad(month + 1)}01` : `${year + 1}0101`;
}

function fits(job: ReplayJobItem, { delivery, record, type }: Found): boolean {
  if (job.message !== undefined && delivery.msg !== job.message) return false;
  if (job.types !== undefined && (type === undefined || !job.types.includes(type))) return false;
  if (delivery.createdAt < (job.since ?? 0) || delivery.createdAt > (job.until ?? Number.POSITIVE_INFINITY))
    return false;
  return record === undefined || record.status === job.status;
}

async function firstPlace(ports: ReplayJobPorts, job: ReplayJobItem): Promise<Place | undefined> {
  return job.endpoint === undefined ? nextPlace(ports, job, undefined) : { ep: job.endpoint };
}

/** The application's next endpoint; of a job for one endpoint there is none. */
async function nextPlace(
  { store }: ReplayJobPorts,
  job: ReplayJobItem,
  after: EndpointId | undefined,
): Promise<Place | undefined> {
  if (job.endpoint !== undefined) return undefined;
  const page = await store.query({ ...endpointsRange(job.app, after === undefined ? '' : `${after}~`), limit: 1 });
  const endpoint = page.items[0];
  return endpoint && { ep: endpoint.id };
}

async function outstanding({ store }: ReplayJobPorts, ep: EndpointId, job: JobId): Promise<number> {
  const page = await store.query<RowItem>({
    table: 'outbox',
    partition: queueOf(ep),
    from: 'B',
    to: 'B~',
    limit: 1_000,
  });
  return page.items.filter(row => row.job === job).length;
}
