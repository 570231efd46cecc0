/**
 * A replay of many deliveries: an item that tend runs page by page. The page's place is written after it; a page that runs
 * twice replays nothing twice, because what was replayed since the job's `asOf` is left alone. So a page with a delivery that
 * others were writing comes again (test/proof/model/replay-status-model.ts).
 */

import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { NoteRows } from '#core/outbound/fan-out/note-rows.ts';
import { pagesOf } from '#core/outbound/pages.ts';
import type { ItemStore, OutboundPorts } from '#core/outbound/ports.ts';
import { keepReplayPlace, putReplayJob, steerReplayJob as steerWrite } from '#core/outbound/protocol/control-writes.ts';
import type { AppId, EndpointId, JobId } from '#core/outbound/protocol/ids.ts';
import type { ReplayJobItem } from '#core/outbound/protocol/items.ts';
import {
  applicationKey,
  JOBS,
  laterRange,
  listOf,
  messageKey,
  replayJobKey,
  runtimeKey,
} from '#core/outbound/protocol/keys.ts';
import { keptOf } from '#core/outbound/protocol/timings.ts';
import { groupsOf } from '#core/side-by-side.ts';
import { MINUTE_MS } from '#core/time.ts';
import { replayOnce } from './replay-delivery.ts';
import { type Found, firstPlace, leaveForLater, pageOf, type Way } from './replay-way.ts';

export interface ReplayJobPorts extends Pick<OutboundPorts, 'store' | 'wake' | 'clock' | 'ids'> {
  readonly noteRows: NoteRows;
}
export interface ReplayJobRules {
  readonly retentionMs: number;
}

/** Replays that are written side by side. */
const AT_ONCE = 10;
const placeInRate = (from: EpochMs, n: number, { ratePerSecond }: ReplayJobItem): EpochMs =>
  Math.round(from + (n * 1_000) / ratePerSecond);

/** Rows of one job that wait at one endpoint: a retry waits behind no more replays than this. */
const OUTSTANDING = 100;

/** Puts the job on the list; tend runs it. False: this id is there. */
export async function startReplayJob(store: ItemStore, job: ReplayJobItem): Promise<boolean> {
  return (await store.put(putReplayJob(job))).kind === 'applied';
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
  return (await store.update(steerWrite(job, to, now))).kind === 'applied';
}

interface Run {
  readonly job: ReplayJobItem;
  /** Of this minute's share of its rate. */
  readonly left: number;
  /** Endpoints in a row that had no room for more. */
  readonly full: number;
}

/**
 * Runs every running job for a while; `until`: nothing new begins after. By turns: a page of one job of each application,
 * so that no customer's jobs wait for those of another. `finished` is told each that is done. A job that fails by a bug is
 * left until the next run: what it threw is thrown when the others had their turns, and before a DependencyError that ends them.
 */
export async function runReplayJobs(
  ports: ReplayJobPorts,
  rules: ReplayJobRules,
  until: EpochMs,
  finished: (job: ReplayJobItem) => Promise<void> = async () => {},
): Promise<void> {
  const waiting = await runningJobs(ports.store);
  const bugs: unknown[] = [];
  const turn = async (run: Run): Promise<Run | undefined> => {
    try {
      return await runOnePage(ports, rules, run, finished);
    } catch (error) {
      if (error instanceof DependencyError) throw bugs.length > 0 ? bugs[0] : error;
      bugs.push(error);
      return undefined;
    }
  };
  while (waiting.size > 0 && ports.clock.now() < until) {
    for (const [app, [run, ...others]] of waiting) {
      if (ports.clock.now() >= until) break;
      const next = run && (await turn(run));
      const left = next === undefined ? others : [...others, next];
      if (left.length === 0) waiting.delete(app);
      else waiting.set(app, left);
    }
  }
  if (bugs.length > 0) throw bugs[0];
}

/** No page of a run of one job begins after this: its function has a timeout. */
const RUN_MS = 10_000;
/** Places in the rate that may be taken before their time. */
const AHEAD_MS = MINUTE_MS;

/** Goes on with one job, until its endpoint has as many rows as may wait. Whoever finishes some of them asks again. */
export async function runReplayJob(
  ports: ReplayJobPorts,
  rules: ReplayJobRules,
  id: JobId,
  finished: (job: ReplayJobItem) => Promise<void>,
): Promise<void> {
  const job = await ports.store.get(replayJobKey(id), 'consistent');
  if (job?.state !== 'running') return;
  const until = ports.clock.now() + RUN_MS;
  let run: Run | undefined = { job, left: Number.POSITIVE_INFINITY, full: 0 };
  while (run !== undefined && ports.clock.now() < until) run = await runOnePage(ports, rules, run, finished);
}

async function runningJobs(store: Pick<ItemStore, 'query' | 'getMany'>): Promise<Map<AppId, readonly Run[]>> {
  const running = new Map<AppId, readonly Run[]>();
  for await (const page of pagesOf(store, { ...listOf(JOBS), limit: 200 })) {
    const jobs = await store.getMany(page.map(({ pk }) => replayJobKey(pk.slice(2) as JobId)));
    for (const job of jobs) {
      if (job?.state !== 'running') continue;
      const run = { job, left: job.ratePerSecond * 60, full: 0 };
      running.set(job.app, [...(running.get(job.app) ?? []), run]);
    }
  }
  return running;
}

/** Undefined: nothing more of it in this minute. */
async function runOnePage(
  ports: ReplayJobPorts,
  rules: ReplayJobRules,
  { job, ...run }: Run,
  finished: (job: ReplayJobItem) => Promise<void>,
): Promise<Run | undefined> {
  const page = await runPage(ports, rules, job);
  const counts = {
    seen: job.counts.seen + page.seen,
    replayed: job.counts.replayed + page.replayed,
    skipped: job.counts.skipped + page.skipped,
  };
  const kept = await keep(ports, job, { counts, next: page.next, nextDueAt: page.nextDueAt });
  if (kept?.state === 'done') await finished(kept);
  if (kept?.state !== 'running' || page.busy) return undefined;
  const left = run.left - Math.max(1, page.seen);
  const full = page.full ? run.full + 1 : 0;
  // Each of those that are left had no room.
  const stuck = page.full && (page.next?.through === undefined ? page.next?.ep === page.ep : full > laterOf(page.next));
  return left <= 0 || stuck ? undefined : { job: kept, left, full };
}
const laterOf = ({ later = [] }: Way): number => later.length;

interface PageEnd {
  readonly seen: number;
  readonly replayed: number;
  readonly skipped: number;
  /** Undefined: nothing is left. */
  readonly next: Way | undefined;
  readonly nextDueAt: EpochMs;
  /** The endpoint of the page, where there was one. */
  readonly ep?: EndpointId;
  /** As many as may wait at the endpoint do: it comes again behind the others. */
  readonly full?: true;
  /** Others were writing some of its deliveries: it comes again, in the next minute. */
  readonly busy?: true;
}

async function runPage(ports: ReplayJobPorts, rules: ReplayJobRules, job: ReplayJobItem): Promise<PageEnd> {
  const { store, wake, clock } = ports;
  // 1. How far it is, and whether the endpoint has room for more.
  const place = job.cursor === undefined ? await firstPlace(ports, job) : (JSON.parse(job.cursor) as Way);
  let nextDueAt = Math.max(job.nextDueAt ?? 0, clock.now());
  const nothing = { seen: 0, replayed: 0, skipped: 0, nextDueAt };
  if (place === undefined) return { ...nothing, next: undefined };
  const isAhead = nextDueAt > clock.now() + AHEAD_MS;
  if (isAhead) return { ...nothing, ep: place.ep, next: place, full: true };
  const room = job.dryRun ? OUTSTANDING : OUTSTANDING - (await outstanding(ports, place.ep, job.id));
  if (room <= 0) {
    return { ...nothing, ep: place.ep, next: await leaveForLater(ports, job, place), full: true };
  }
  // 2. A page of deliveries.
  const { deliveries, next } = await pageOf({ store, clock, ...rules }, job, place, room);
  const wanted = deliveries.filter(each => fits(job, each));
  let replayed = 0;
  let busy = false;
  // 3. Each is a replay of its own; refused is skipped.
  const [runtime, application] = await Promise.all([
    store.get(runtimeKey(place.ep), 'consistent'),
    store.get(applicationKey(job.app), 'eventual'),
  ]);
  const kept = application === undefined ? {} : keptOf(application, rules.retentionMs);
  const reachable = runtime !== undefined && runtime.gate !== 'deleted';
  const replayable = job.dryRun || !reachable ? [] : wanted;
  const replayOne = async ({ delivery }: Found, dueAt: EpochMs): Promise<boolean> => {
    const message = await store.get(messageKey(delivery.msg), 'consistent');
    if (message === undefined || message.bodyRemovedAt !== undefined) return false;
    const result = await replayOnce(ports, { ...delivery, app: job.app, ...kept }, rules.retentionMs, {
      replayId: job.id,
      by: job.by,
      ...given({ why: job.why }),
      now: clock.now(),
      alsoRetrying: job.status === 'retrying',
      asOf: job.asOf,
      only: job.status,
      job: job.id,
      dueAt,
    });
    busy ||= result.kind === 'busy';
    return result.kind === 'accepted';
  };
  for (const some of groupsOf(replayable, AT_ONCE)) {
    const done = await Promise.all(some.map((each, n) => replayOne(each, placeInRate(nextDueAt, n, job))));
    replayed += done.filter(Boolean).length;
    nextDueAt = placeInRate(nextDueAt, some.length, job);
  }
  // 4. One wake-up for the page.
  if (replayed > 0) await wake.send([{ v: 1, ep: place.ep }]);
  // The rest is counted when the page comes again: dead ones without those that were replayed.
  if (busy) {
    const seen = job.status === 'dead' ? replayed : 0;
    return { ep: place.ep, seen, replayed, skipped: 0, next: place, nextDueAt, busy };
  }
  const counted = job.dryRun ? wanted.length : replayed;
  return {
    ep: place.ep,
    seen: deliveries.length,
    replayed: counted,
    skipped: wanted.length - counted,
    next,
    nextDueAt,
  };
}

/** Written after the page. Refused: a person steered it meanwhile. */
async function keep(
  { store, clock }: ReplayJobPorts,
  job: ReplayJobItem,
  { next, ...page }: Pick<PageEnd, 'next' | 'nextDueAt'> & Pick<ReplayJobItem, 'counts'>,
): Promise<ReplayJobItem | undefined> {
  const cursor = next && JSON.stringify(next);
  const result = await store.update(keepReplayPlace(job, clock.now(), { ...page, cursor }));
  return result.kind === 'applied' ? result.item : undefined;
}

function fits(job: ReplayJobItem, { delivery, record, type }: Found): boolean {
  if (job.message !== undefined && delivery.msg !== job.message) return false;
  if (job.types !== undefined && (type === undefined || !job.types.includes(type))) return false;
  if (delivery.createdAt < (job.since ?? 0) || delivery.createdAt > (job.until ?? Number.POSITIVE_INFINITY))
    return false;
  return record === undefined || record.status === job.status;
}

/** Rows of the job that wait at the endpoint: counted up to as many as may, among its first rows for later. */
async function outstanding({ store }: ReplayJobPorts, ep: EndpointId, job: JobId): Promise<number> {
  let waiting = 0;
  let seen = 0;
  for await (const rows of pagesOf(store, { ...laterRange(ep), limit: 1_000 })) {
    waiting += rows.filter(row => row.job === job).length;
    seen += rows.length;
    if (waiting >= OUTSTANDING || seen >= 10_000) break;
  }
  return waiting;
}
