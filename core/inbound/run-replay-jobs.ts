/**
 * The sweeper's part of bulk replay: the oldest job first, a page at a time, at its rate, until the run's time is over.
 * A page is stored before it is begun and its outcome after it is done, so that a run may die anywhere: the next one
 * meets the same events, and recognises those that were replayed.
 */
import { DependencyError } from '../errors.ts';
import type { EventItem } from '../event-item.ts';
import type { EpochMs } from '../glossary.ts';
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
  listMeant,
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
const AT_ONCE = 10;

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
  for (;;) {
    const found = await readReplayJob(id, ports.control);
    if (found?.job.state !== 'running') return true;
    if (ports.clock.now() >= until) return false;
    const done = await replayPage(found.job, until, ports, rules);
    const next = done.doneOfPage < done.page.length ? done : await nextPage(done, until, ports);
    await save(found.job, { ...next, updatedAt: ports.clock.now() }, found.version, ports);
  }
}

/** Replays what is left of the page, at the job's rate; half of it while live traffic is waiting. */
async function replayPage(
  job: ReplayJob,
  until: EpochMs,
  ports: ReplayJobPorts,
  rules: WriteRules,
): Promise<ReplayJob> {
  if (job.doneOfPage >= job.page.length) return job;
  const backlogged = (await ports.gauge.main()).visible > 0;
  const ratePerSecond = backlogged ? job.ratePerSecond / 2 : job.ratePerSecond;
  const counts = { ...job.counts };
  let [at, dueAt] = [job.doneOfPage, ports.clock.now()];
  while (at < job.page.length && ports.clock.now() < until) {
    const pks = job.page.slice(at, at + Math.max(1, Math.min(AT_ONCE, Math.floor(ratePerSecond))));
    const items = await ports.store.getMany(pks);
    const outcomes = await Promise.all(
      pks.map(pk =>
        replayOne(
          items.find(item => item.pk === pk),
          job,
          ports,
          rules,
        ),
      ),
    );
    for (const outcome of outcomes) counts[outcome] += 1;
    at += pks.length;
    dueAt += (pks.length / ratePerSecond) * 1_000;
    const waitMs = Math.min(dueAt, until) - ports.clock.now();
    if (waitMs > 0) await ports.timer.sleep(waitMs);
  }
  return { ...job, doneOfPage: at, counts };
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
async function nextPage(job: ReplayJob, until: EpochMs, ports: ReplayJobPorts): Promise<ReplayJob> {
  const left = (job.limit ?? Number.POSITIVE_INFINITY) - job.taken;
  const { cursor: _, ...rest } = job;
  let { cursor, last } = job;
  while (!last && left > 0 && ports.clock.now() < until) {
    // Two seconds' worth: a cancel is heeded after at most so long.
    const limit = Math.max(1, Math.min(PAGE_LIMIT, Math.floor(job.ratePerSecond * 2), left));
    const found = await listMeant(job, { limit, cursor }, ports);
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
