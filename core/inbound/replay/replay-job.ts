/**
 * Bulk replay as a job: a control item that says what, how fast, who and why, and how far it is. The sweeper carries it
 * out (run-replay-jobs.ts), so a closed laptop loses nothing. A preview enumerates exactly what the job will touch.
 */

import type { EpochMs, EventPk } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { cursorAfter, EventSearch, type ListPorts } from '#core/inbound/search/list-events.ts';
import type { Clock, Ids } from '#core/ports.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { toIso } from '#core/time.ts';

/** Ids of jobs that may still have work, oldest first: one read tells the sweeper that there is nothing to do. */
const OPEN_JOBS_CONTROL = 'replay-jobs';
const JOB_PREFIX = 'job#';
const WRITE_TRIES = 10;
const SEARCH_PAGE = 500;

/** `changed`: it no longer matches, or somebody replayed it meanwhile. `running`: an attempt is under way. */
const JOB_OUTCOMES = ['replayed', 'changed', 'running', 'gone', 'body_missing'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];
type JobCounts = Readonly<Record<JobOutcome, number>>;

/** Which events: those that match and were as they are at that moment. */
interface Meant {
  readonly filter: EventFilter;
  readonly asOf: EpochMs;
}

export interface ReplayJobRequest {
  readonly filter: EventFilter;
  /** The job means the events as they were then: what happened later is left alone. Default now; of a preview, its own. */
  readonly asOf?: EpochMs;
  readonly ratePerSecond: number;
  /** The most events it replays, the oldest first. */
  readonly limit?: number;
  /** Fresh idempotency keys for outside calls. */
  readonly newKey?: boolean;
  /** How many the preview found. */
  readonly expected?: number;
  readonly by: string;
  readonly why: string;
}

export interface ReplayJob extends ReplayJobRequest {
  readonly id: string;
  readonly asOf: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** When the sweeper first took it up. */
  readonly begunAt?: EpochMs;
  readonly finishedAt?: EpochMs;
  readonly canceledBy?: string;
  readonly state: 'running' | 'canceled' | 'done';
  /** The events being replayed. */
  readonly page: readonly EventPk[];
  /** Where to go on after the page; absent: at the beginning, or nowhere (`last`). */
  readonly cursor?: string;
  readonly last: boolean;
  /** Events put into pages so far. */
  readonly taken: number;
  /** Until when those begun so far last at the rate (replay-pace.ts). */
  readonly paidUntil?: EpochMs;
  readonly counts: JobCounts;
}

/**
 * The events a job means, oldest first; its own enumeration and that of the preview. They are looked for in large steps,
 * whatever is taken at a time, so that a page costs what its events cost. What is ahead is in memory only: the cursor
 * says where a run that begins anew goes on.
 */
export class MeantEvents {
  readonly #meant: Meant;
  readonly #search: EventSearch;
  #ahead: readonly EventItem[] = [];
  #aheadOf: string | undefined;
  #behindAhead: string | undefined;

  constructor(meant: Meant, ports: ListPorts) {
    this.#meant = meant;
    this.#search = new EventSearch(meant.filter, 'oldest', ports);
  }

  /** The next events after a cursor; possibly none although there are more. */
  async take(limit: number, cursor?: string): Promise<{ items: readonly EventItem[]; cursor?: string }> {
    if (this.#ahead.length === 0 || cursor !== this.#aheadOf) {
      const page = await this.#search.page({ limit: SEARCH_PAGE, cursor });
      this.#ahead = page.items.filter(item => isUnchangedSince(item, this.#meant.asOf));
      this.#behindAhead = page.cursor;
    }
    const items = this.#ahead.slice(0, limit);
    this.#ahead = this.#ahead.slice(limit);
    const last = items.at(-1);
    this.#aheadOf = this.#ahead.length > 0 && last ? cursorAfter(last) : this.#behindAhead;
    return this.#aheadOf === undefined ? { items } : { items, cursor: this.#aheadOf };
  }
}

/** True when the event got into its present state before a moment, and nobody replayed it since. */
export function isUnchangedSince(item: EventItem, asOf: EpochMs): boolean {
  const settledAt = item.deadAt ?? item.completedAt ?? 0;
  return item.receivedAt < asOf && settledAt < asOf && (item.replayedAt ?? 0) < asOf;
}

/** All events a job would touch, page by page. Reads only. */
export async function* previewReplay(
  meant: Meant & { readonly limit?: number },
  ports: ListPorts,
): AsyncGenerator<readonly EventItem[]> {
  const events = new MeantEvents(meant, ports);
  let cursor: string | undefined;
  let left = meant.limit ?? Number.POSITIVE_INFINITY;
  do {
    const page = await events.take(Math.min(SEARCH_PAGE, left), cursor);
    yield page.items;
    left -= page.items.length;
    cursor = page.cursor;
  } while (cursor !== undefined && left > 0);
}

/** Records the job; the sweeper's next run begins it. Throws when the list of open jobs could not be written. */
export async function createReplayJob(
  request: ReplayJobRequest,
  ports: { readonly control: ControlStore; readonly clock: Clock; readonly ids: Ids },
): Promise<ReplayJob> {
  const job = newJob(request, ports.clock.now(), ports.ids);
  // Listed first: a job that is there is carried out, wherever its creator dies.
  const list = (): Promise<void> => changeOpenJobs(ports.control, ids => [...ids, job.id]);
  await list();
  if (!(await writeJob(job, 0, ports.control)))
    throw new Error(`The replay job was not started: the id ${job.id} is taken. Start it again; it gets another id`);
  // A sweeper that met the id before the job took it for a job that is over.
  if (!(await readOpenJobs(ports.control)).includes(job.id)) await list();
  return job;
}

function newJob(request: ReplayJobRequest, now: EpochMs, ids: Ids): ReplayJob {
  const asOf = request.asOf ?? now;
  return {
    ...request,
    filter: { ...request.filter, until: Math.min(request.filter.until, asOf) },
    id: `rj-${toIso(now).slice(0, 19).replaceAll(/[-:]/g, '').toLowerCase()}-${ids.uuid().slice(0, 8)}`,
    asOf,
    createdAt: now,
    updatedAt: now,
    state: 'running',
    page: [],
    last: false,
    taken: 0,
    counts: { replayed: 0, changed: 0, running: 0, gone: 0, body_missing: 0 },
  };
}

/** Writes down many replays that needed no job, as one that is done: it stands in the list, and no sweeper takes it up. Throws when it could not be written. */
export async function noteReplays(
  request: ReplayJobRequest,
  done: { readonly begunAt: EpochMs; readonly counts: Partial<JobCounts> },
  ports: { readonly control: ControlStore; readonly clock: Clock; readonly ids: Ids },
): Promise<ReplayJob> {
  const { begunAt } = done;
  const now = ports.clock.now();
  const job = newJob(request, begunAt, ports.ids);
  const counts = { ...job.counts, ...done.counts };
  const over: ReplayJob = { ...job, state: 'done', begunAt, updatedAt: now, finishedAt: now, last: true, counts };
  if (!(await writeJob(over, 0, ports.control)))
    throw new Error(`The list of replays got no line of these: the id ${over.id} is taken. The replays are made`);
  return over;
}

export async function readReplayJob(
  id: string,
  control: Pick<ControlStore, 'read'>,
): Promise<{ readonly job: ReplayJob; readonly version: number } | undefined> {
  const stored = await control.read(JOB_PREFIX + id);
  const job = stored && decodeJob(stored.value);
  return stored && job && { job, version: stored.version };
}

/** Written by us. An older version spelt `canceled` otherwise. */
function decodeJob(text: string): ReplayJob | undefined {
  const job = decodeJsonObject(text);
  if (job?.['state'] !== 'cancelled') return job as unknown as ReplayJob | undefined;
  return { ...job, state: 'canceled', canceledBy: job['cancelledBy'] } as unknown as ReplayJob;
}

/** The newest jobs first. */
export async function listReplayJobs(
  limit: number,
  control: Pick<ControlStore, 'read' | 'list'>,
): Promise<readonly ReplayJob[]> {
  const names = [...(await control.list(JOB_PREFIX))].reverse().slice(0, limit);
  const jobs = await Promise.all(names.map(name => readReplayJob(name.slice(JOB_PREFIX.length), control)));
  return jobs.flatMap(found => (found ? [found.job] : []));
}

export type CancelResult =
  | { readonly kind: 'canceled' | 'already_over'; readonly job: ReplayJob }
  | { readonly kind: 'not_found' };

/** Stops a job behind the page it is at; what was replayed stays replayed. */
export async function cancelReplayJob(
  id: string,
  by: string,
  ports: { readonly control: ControlStore; readonly clock: Clock },
): Promise<CancelResult> {
  for (let tries = 0; tries < WRITE_TRIES; tries++) {
    const found = await readReplayJob(id, ports.control);
    if (!found) return { kind: 'not_found' };
    if (found.job.state !== 'running') return { kind: 'already_over', job: found.job };
    const now = ports.clock.now();
    const job: ReplayJob = { ...found.job, state: 'canceled', canceledBy: by, updatedAt: now, finishedAt: now };
    if (await writeJob(job, found.version, ports.control)) return { kind: 'canceled', job };
  }
  throw new Error(`The job ${id} was not canceled: others kept changing it at the same time. Cancel it again`);
}

export function writeJob(job: ReplayJob, version: number, control: Pick<ControlStore, 'write'>): Promise<boolean> {
  return control.write(JOB_PREFIX + job.id, JSON.stringify(job), version);
}

export async function readOpenJobs(control: Pick<ControlStore, 'read'>): Promise<readonly string[]> {
  return decodeIds((await control.read(OPEN_JOBS_CONTROL))?.value);
}

/** Rewrites the list of open jobs. Throws when others write it all the time. */
export async function changeOpenJobs(
  control: Pick<ControlStore, 'read' | 'write'>,
  change: (ids: readonly string[]) => readonly string[],
): Promise<void> {
  for (let tries = 0; tries < WRITE_TRIES; tries++) {
    const stored = await control.read(OPEN_JOBS_CONTROL);
    const ids = [...new Set(change(decodeIds(stored?.value)))];
    if (await control.write(OPEN_JOBS_CONTROL, ids.join(' '), stored?.version ?? 0)) return;
  }
  throw new Error('The list of replay jobs was not changed: others kept changing it at the same time. Try again');
}

function decodeIds(value: string | undefined): readonly string[] {
  return (value ?? '').split(' ').filter(id => id !== '');
}
