/**
 * The sweeper's part of bulk replay: the oldest job first, a page at a time, at its pace, until the run's time is over.
 * A page is stored before it is begun and its outcome after it is done, so that a run may die anywhere: the next one
 * meets the same events, and recognises those that were replayed.
 */
import { type Asker, ask, askOrSkip } from '#core/ask.ts';
import { given } from '#core/given.ts';
import type { EpochMs, EventPk } from '#core/glossary.ts';
import type { ControlStore, EventStore, InboundPorts, PayloadStore } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { WriteRules } from '#core/inbound/protocol/event-writes.ts';
import { matchesFilter } from '#core/inbound/search/event-filter.ts';
import type { ListStore } from '#core/inbound/search/list-events.ts';
import type { QueueGauge } from '#core/ports.ts';
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
import { ReplayPace } from './replay-pace.ts';

export interface ReplayJobPorts extends Pick<InboundPorts, 'queue' | 'clock' | 'timer' | 'telemetry' | 'control'> {
  readonly store: ListStore & Pick<EventStore, 'update'>;
  readonly payloads: Pick<PayloadStore, 'raiseBody' | 'putDetail'>;
  readonly gauge: Pick<QueueGauge, 'main'>;
}

const PAGE_LIMIT = 100;
/** Events read and begun together. */
const BATCH = 10;
/** Batches under way at once: the next begins when it is due, not when the one before has been answered. */
const BATCHES_AT_ONCE = 4;
/** Its own messages wait a moment in the queue, too: when there are more than this many seconds' worth, live traffic is waiting, too. */
const OWN_WAIT_SECONDS = 1;
/** A job waits this long after a call that failed, and twice as long each time in a row. At the last of them the run leaves the job. */
const FAILURE_PAUSE_MS = 1_000;
const FAILURES_IN_A_ROW = 5;

/**
 * Carries out open jobs, one after the other, until a moment; also those that were started meanwhile. Never throws: what
 * fails waits for the next run.
 */
export async function runReplayJobs(until: EpochMs, ports: ReplayJobPorts, rules: WriteRules): Promise<void> {
  const met = new Set<string>();
  const next = async (): Promise<string | undefined> =>
    (await askOrSkip(askerOf('list', ports), () => readOpenJobs(ports.control)))?.find(it => !met.has(it));
  for (let id = await next(); id !== undefined && ports.clock.now() < until; id = await next()) {
    const job = id;
    met.add(job);
    await askOrSkip(askerOf(job, ports), async () => {
      if (await runJob(job, until, ports, rules)) await takeOffList(job, ports.control);
    });
  }
}

/** Looked at once more: its creator lists a job, writes it, and looks whether it is still listed. */
async function takeOffList(id: string, control: ControlStore): Promise<void> {
  await changeOpenJobs(control, open => open.filter(it => it !== id));
  if ((await readReplayJob(id, control))?.job.state === 'running') await changeOpenJobs(control, open => [...open, id]);
}

const askerOf = (job: string, { telemetry }: ReplayJobPorts): Asker => ({
  telemetry,
  stage: 'replay_job',
  fields: { job },
});

/** One run's work at a job. */
interface JobRun {
  readonly id: string;
  readonly until: EpochMs;
  readonly ports: ReplayJobPorts;
  readonly rules: WriteRules;
  events?: MeantEvents;
  pace?: ReplayPace;
  failures: number;
}

/** True when nothing is left to do. A call that fails costs a pause, not the rest of the run. */
async function runJob(id: string, until: EpochMs, ports: ReplayJobPorts, rules: WriteRules): Promise<boolean> {
  const run: JobRun = { id, until, ports, rules, failures: 0 };
  for (;;) {
    const turn = await ask(askerOf(id, ports), () => takeTurn(run));
    if (turn.ok && turn.value !== 'goes on') return turn.value === 'over';
    if (turn.ok) continue;
    run.failures += 1;
    if (run.failures >= FAILURES_IN_A_ROW) return false;
    const pauseMs = FAILURE_PAUSE_MS * 2 ** (run.failures - 1);
    await ports.timer.sleep(Math.max(0, Math.min(pauseMs, until - ports.clock.now())));
  }
}

/** A page, or what is left of it. Throws the first failure when it has stored what was done. */
async function takeTurn(run: JobRun): Promise<'over' | 'time is up' | 'goes on'> {
  const { id, until, ports } = run;
  const found = await readReplayJob(id, ports.control);
  if (found?.job.state !== 'running') return 'over';
  if (ports.clock.now() >= until) return 'time is up';
  const job: ReplayJob = { ...found.job, begunAt: found.job.begunAt ?? ports.clock.now() };
  run.events ??= new MeantEvents(job, ports);
  run.pace ??= new ReplayPace(job, ports.clock.now(), until);
  const { errors, ...done } = await replayPage(job, run, run.pace);
  const left = { ...job, ...done };
  // A search that fails must not cost what was done.
  const search = (events: MeantEvents): Promise<ReplayJob> =>
    nextPage(left, events, until, ports).catch((error: unknown) => {
      errors.push(error);
      return left;
    });
  const next = left.page.length > 0 ? left : await search(run.events);
  const paidUntil = Math.round(run.pace.paidUntil);
  await save(job, { ...next, paidUntil, updatedAt: ports.clock.now() }, found.version, ports);
  if (left.page.length < job.page.length) run.failures = 0;
  if (errors.length > 0) throw errors[0];
  return 'goes on';
}

interface PageResult extends Pick<ReplayJob, 'page' | 'counts'> {
  readonly errors: unknown[];
}

/** Replays the page, at the job's pace, until its end, the run's, or a failure. */
async function replayPage(job: ReplayJob, run: JobRun, pace: ReplayPace): Promise<PageResult> {
  const { ports, rules } = run;
  if (job.page.length === 0) return { ...job, errors: [] };
  // Nobody knows who waits: then as if live traffic did, and the job goes on at its slow pace.
  const waiting =
    (await askOrSkip(askerOf(job.id, ports), () => ports.gauge.main()))?.visible ?? Number.POSITIVE_INFINITY;
  const behindLive = waiting > job.ratePerSecond * OWN_WAIT_SECONDS;
  pace.look(ports.clock.now(), behindLive, job.paidUntil);
  const size = Math.max(1, Math.min(BATCH, Math.floor(pace.eventsPerSecond)));
  const counts = { ...job.counts };
  const left = new Set(job.page);
  const underWay = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const finish = (pk: EventPk, outcome: JobOutcome): void => {
    left.delete(pk);
    counts[outcome] += 1;
  };
  for (let at = 0; at < job.page.length && errors.length === 0; at += size) {
    if (underWay.size >= BATCHES_AT_ONCE) await Promise.race(underWay);
    if (!(await isTurn(run, pace))) break;
    const pks = job.page.slice(at, at + size);
    pace.begin(pks.length, ports.clock.now());
    const batch = replayBatch(pks, job, ports, rules, finish)
      .catch((error: unknown) => void errors.push(error))
      .finally(() => underWay.delete(batch));
    underWay.add(batch);
  }
  await Promise.all(underWay);
  return { page: [...left], counts, errors };
}

/** Waits until the next batch is due; false when the run ends before. */
async function isTurn({ until, ports }: JobRun, pace: ReplayPace): Promise<boolean> {
  const waitMs = Math.min(pace.dueAt(), until) - ports.clock.now();
  if (waitMs > 0) await ports.timer.sleep(waitMs);
  return ports.clock.now() < until;
}

/** Items are read just before: what was in memory since the search may have changed. Throws when all have ended. */
async function replayBatch(
  pks: readonly EventPk[],
  job: ReplayJob,
  ports: ReplayJobPorts,
  rules: WriteRules,
  finish: (pk: EventPk, outcome: JobOutcome) => void,
): Promise<void> {
  const items = new Map((await ports.store.getMany(pks)).map(item => [item.pk, item]));
  const ends = pks.map(async pk => finish(pk, await replayOne(items.get(pk), job, ports, rules)));
  for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason;
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
    // Two seconds' worth, so that a cancel is noticed within two seconds.
    const limit = Math.max(1, Math.min(PAGE_LIMIT, Math.floor(job.ratePerSecond * 2), left));
    const found = await events.take(limit, cursor);
    cursor = found.cursor;
    last = cursor === undefined;
    const page = found.items.map(item => item.pk);
    if (page.length > 0) return { ...rest, ...given({ cursor }), last, page, taken: job.taken + page.length };
  }
  if (!last && left > 0) return { ...rest, ...given({ cursor }), page: [] };
  ports.telemetry.log('info', { stage: 'replay_job', job: job.id, outcome: 'done', ...job.counts });
  return { ...rest, last: true, page: [], state: 'done', finishedAt: ports.clock.now() };
}

/** Refused: somebody wrote meanwhile. A canceled job still gets its counts; another sweeper's progress is kept. */
async function save(before: ReplayJob, after: ReplayJob, version: number, ports: ReplayJobPorts): Promise<void> {
  if (await writeJob(after, version, ports.control)) return;
  const found = await readReplayJob(before.id, ports.control);
  const theirs = found?.job;
  if (!found || theirs?.state !== 'canceled') return;
  if (theirs.taken !== before.taken || theirs.page.length !== before.page.length) return;
  await writeJob({ ...theirs, page: [], counts: after.counts }, found.version, ports.control);
}
