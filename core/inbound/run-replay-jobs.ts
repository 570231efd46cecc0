/**
 * The sweeper's part of bulk replay: the oldest job first, a page at a time, at its rate, until the run's time is over.
 * A page is stored before it is begun and its outcome after it is done, so that a run may die anywhere: the next one
 * meets the same events, and recognises those that were replayed.
 */
import { DependencyError } from '../errors.ts';
import type { EventItem } from '../event-item.ts';
import type { EpochMs, EventPk } from '../glossary.ts';
import type {
  Clock,
  ControlStore,
  EventStore,
  PayloadStore,
  QueueGauge,
  Telemetry,
  Timer,
  WorkQueue,
} from '../ports.ts';
import { matchesFilter } from './event-filter.ts';
import type { WriteRules } from './event-writes.ts';
import type { ListStore } from './list-events.ts';
import { replayEvent } from './replay-event.ts';
import {
  changeOpenJobs,
  isUnchangedSince,
  type JobOutcome,
  MeantEvents,
  type ReplayJob,
  readOpenJobs,
  readReplayJob,
  writeJob,
} from './replay-job.ts';

export interface ReplayJobPorts {
  readonly store: ListStore & Pick<EventStore, 'update'>;
  readonly payloads: Pick<PayloadStore, 'raiseBody' | 'putDetail'>;
  readonly control: ControlStore;
  readonly queue: WorkQueue;
  readonly gauge: Pick<QueueGauge, 'main'>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly telemetry: Telemetry;
}

const PAGE_LIMIT = 100;
/** Events read and begun together. */
const BATCH = 10;
/** Batches under way at once: the next begins when it is due, not when the one before has been answered. */
const BATCHES_AT_ONCE = 4;
/** A batch that was late may be followed by one that is early by so much; more is not made up for. */
const CATCH_UP_MS = 500;

/** Carries out open jobs, one after the other, until a moment. Never throws: what fails waits for the next run. */
export async function runReplayJobs(until: EpochMs, ports: ReplayJobPorts, rules: WriteRules): Promise<void> {
  const ids = await guarded('list', ports, () => readOpenJobs(ports.control));
  for (const id of ids ?? []) {
    if (ports.clock.now() >= until) return;
    await guarded(id, ports, async () => {
      if (await runJob(id, until, ports, rules))
        await changeOpenJobs(ports.control, open => open.filter(it => it !== id));
    });
  }
}

async function guarded<T>(job: string, ports: ReplayJobPorts, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DependencyError) ports.telemetry.count('DependencyError', { dependency: error.dependency });
    const text = error instanceof Error ? error.message : String(error);
    ports.telemetry.log('warn', { stage: 'replay_job', job, error: text });
    return undefined;
  }
}

/** True when nothing is left to do. */
async function runJob(id: string, until: EpochMs, ports: ReplayJobPorts, rules: WriteRules): Promise<boolean> {
  let events: MeantEvents | undefined;
  const pace: Pace = { dueAt: ports.clock.now() };
  for (;;) {
    const found = await readReplayJob(id, ports.control);
    if (found?.job.state !== 'running') return true;
    if (ports.clock.now() >= until) return false;
    events ??= new MeantEvents(found.job, ports);
    const done = await replayPage(found.job, { until, pace }, ports, rules);
    const next = done.doneOfPage < done.page.length ? done : await nextPage(done, events, until, ports);
    await save(found.job, { ...next, updatedAt: ports.clock.now() }, found.version, ports);
  }
}

/** When the next batch of a job is due; kept over its pages, so that what lies between them costs no speed. */
interface Pace {
  dueAt: EpochMs;
}

/** Replays what is left of the page, at the job's rate; half of it while live traffic is waiting. */
async function replayPage(
  job: ReplayJob,
  run: { readonly until: EpochMs; readonly pace: Pace },
  ports: ReplayJobPorts,
  rules: WriteRules,
): Promise<ReplayJob> {
  if (job.doneOfPage >= job.page.length) return job;
  const backlogged = (await ports.gauge.main()).visible > 0;
  const ratePerSecond = backlogged ? job.ratePerSecond / 2 : job.ratePerSecond;
  const size = Math.max(1, Math.min(BATCH, Math.floor(ratePerSecond)));
  const counts = { ...job.counts };
  const underWay = new Set<Promise<void>>();
  const errors: unknown[] = [];
  let at = job.doneOfPage;
  while (at < job.page.length && errors.length === 0) {
    if (underWay.size >= BATCHES_AT_ONCE) await Promise.race(underWay);
    if (!(await isTurn(run, ports))) break;
    const pks = job.page.slice(at, at + size);
    at += pks.length;
    run.pace.dueAt += (pks.length / ratePerSecond) * 1_000;
    const batch = replayBatch(pks, job, ports, rules)
      .then(outcomes => {
        for (const outcome of outcomes) counts[outcome] += 1;
      })
      .catch((error: unknown) => void errors.push(error))
      .finally(() => underWay.delete(batch));
    underWay.add(batch);
  }
  await Promise.all(underWay);
  if (errors.length > 0) throw errors[0];
  return { ...job, doneOfPage: at, counts };
}

/** Waits until the next batch is due; false when the run ends before. */
async function isTurn(
  { until, pace }: { readonly until: EpochMs; readonly pace: Pace },
  { clock, timer }: ReplayJobPorts,
): Promise<boolean> {
  pace.dueAt = Math.max(pace.dueAt, clock.now() - CATCH_UP_MS);
  const waitMs = Math.min(pace.dueAt, until) - clock.now();
  if (waitMs > 0) await timer.sleep(waitMs);
  return clock.now() < until;
}

/** Items are read just before: what was in memory since the search may have changed. */
async function replayBatch(
  pks: readonly EventPk[],
  job: ReplayJob,
  ports: ReplayJobPorts,
  rules: WriteRules,
): Promise<readonly JobOutcome[]> {
  const items = new Map((await ports.store.getMany(pks)).map(item => [item.pk, item]));
  return Promise.all(pks.map(pk => replayOne(items.get(pk), job, ports, rules)));
}

async function replayOne(
  item: EventItem | undefined,
  job: ReplayJob,
  ports: ReplayJobPorts,
  rules: WriteRules,
): Promise<JobOutcome> {
  if (item === undefined) return 'gone';
  const ours = item.replayId === job.id;
  if (!ours && !(matchesFilter(item, job.filter) && isUnchangedSince(item, job.asOf))) return 'changed';
  const { id: replayId, by, why, newKey = false, asOf: jobCreatedAt } = job;
  const result = await replayEvent(item, { replayId, by, why, newKey, jobCreatedAt }, ports, rules);
  switch (result.kind) {
    case 'replayed':
    case 'already_replayed':
      return 'replayed';
    case 'body_missing':
      return 'body_missing';
    case 'refused':
      return result.reason;
  }
}

/** The job with its next page, or done. Without either where the time is over: the search goes on from the cursor. */
async function nextPage(
  job: ReplayJob,
  events: MeantEvents,
  until: EpochMs,
  ports: ReplayJobPorts,
): Promise<ReplayJob> {
  const left = (job.limit ?? Number.POSITIVE_INFINITY) - job.taken;
  const { cursor: _, ...rest } = job;
  let { cursor, last } = job;
  while (!last && left > 0 && ports.clock.now() < until) {
    // Two seconds' worth: a cancel is heeded after at most so long.
    const limit = Math.max(1, Math.min(PAGE_LIMIT, Math.floor(job.ratePerSecond * 2), left));
    const found = await events.take(limit, cursor);
    cursor = found.cursor;
    last = cursor === undefined;
    const page = found.items.map(item => item.pk);
    if (page.length > 0)
      return { ...rest, ...withCursor(cursor), last, page, doneOfPage: 0, taken: job.taken + page.length };
  }
  if (!last && left > 0) return { ...rest, ...withCursor(cursor), page: [], doneOfPage: 0 };
  ports.telemetry.log('info', { stage: 'replay_job', job: job.id, outcome: 'done', ...job.counts });
  return { ...rest, last: true, page: [], doneOfPage: 0, state: 'done', finishedAt: ports.clock.now() };
}

function withCursor(cursor: string | undefined): { cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}

/** Refused: somebody wrote meanwhile. A cancelled job still gets its counts; another sweeper's progress stands. */
async function save(before: ReplayJob, after: ReplayJob, version: number, ports: ReplayJobPorts): Promise<void> {
  if (await writeJob(after, version, ports.control)) return;
  const found = await readReplayJob(before.id, ports.control);
  const theirs = found?.job;
  if (!found || theirs?.state !== 'cancelled' || theirs.taken !== before.taken) return;
  const { page, doneOfPage, taken } = before;
  const merged: ReplayJob = {
    ...theirs,
    page,
    doneOfPage: Math.max(doneOfPage, page.length),
    taken,
    counts: after.counts,
  };
  await writeJob(merged, found.version, ports.control);
}
