/** Run events again: one at once, or all that a filter means as a job that the sweeper carries out. */

import { type EpochMs, EVENT_STATUSES, splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { replayEvent } from '#core/inbound/replay/replay-event.ts';
import {
  type CancelResult,
  cancelReplayJob,
  createReplayJob,
  listReplayJobs,
  noteReplays,
  previewReplay,
  type ReplayJob,
  readReplayJob,
} from '#core/inbound/replay/replay-job.ts';
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { MINUTE_MS } from '#core/time.ts';
import { explainError } from '#operator/explain-error.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { span } from '#operator/span.ts';

export interface ReplayNow {
  readonly why: string;
  /** A fresh idempotency key: outside calls may happen again. */
  readonly newKey: boolean;
  /** Although an attempt is running (it is fenced). */
  readonly force: boolean;
  /** Another body that came under the same id. */
  readonly bodySha?: string;
}
export type ReplayOutcome = 'replayed' | 'already_replayed' | 'running' | 'changed' | 'gone' | 'body_missing';

/** `face` tells in the record where the request came from: `cli`, `console`. */
export async function replayNow(
  operator: Operator,
  item: EventItem,
  { face, ...request }: ReplayNow & { readonly face: string },
): Promise<ReplayOutcome> {
  const gateway = await operator.gateway();
  const asked = { replayId: `${face}-${gateway.ids.uuid()}`, by: operator.by, ...request };
  const result = await replayEvent(item, asked, gateway, operator.deployment.config);
  return result.kind === 'refused' ? result.reason : result.kind;
}

export interface MeantForReplay {
  readonly filter: EventFilter;
  /** Only events that nobody touched since, epoch ms. */
  readonly asOf: EpochMs;
  /** At most as many, the oldest first. */
  readonly limit?: number;
}

export interface ReplayPreview {
  readonly count: number;
  /** How many of each `source type status (cause)`. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly sample: readonly string[];
}

/** Counts what a job would replay; changes nothing. Throws OperatorError when `signal` ends it. */
export async function previewOf(
  operator: Operator,
  meant: MeantForReplay,
  { signal, onCount }: { readonly signal?: AbortSignal; readonly onCount?: (count: number) => void } = {},
): Promise<ReplayPreview> {
  const kinds = new Map<string, number>();
  const sample: string[] = [];
  let count = 0;
  for await (const items of previewReplay(meant, await operator.gateway())) {
    for (const item of items) {
      const { sourceId } = splitEventPk(item.pk);
      const kind = `${sourceId} ${item.eventType} ${item.status}${item.cause === undefined ? '' : ` (${item.cause})`}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (sample.length < 3) sample.push(toEventId(item.pk));
    }
    count += items.length;
    onCount?.(count);
    if (signal?.aborted) throw new OperatorError('Interrupted; nothing was done', 'interrupted');
  }
  return { count, kinds: Object.fromEntries(kinds), sample };
}

/** The events that a person means, as they are now, the oldest first; of more than `limit` the first. */
export async function meantForReplay(
  operator: Operator,
  meant: MeantForReplay & { readonly limit: number },
): Promise<readonly EventItem[]> {
  const found: EventItem[] = [];
  for await (const items of previewReplay(meant, await operator.gateway())) found.push(...items);
  return found;
}

/** Replays that were made one by one, for the list of jobs. Answers the id; undefined: it could not be written, and each event has its note. */
export async function noteInJobs(
  operator: Operator,
  items: readonly EventItem[],
  { begunAt, outcomes, why }: { begunAt: EpochMs; outcomes: readonly ReplayOutcome[]; why: string },
): Promise<string | undefined> {
  const gateway = await operator.gateway();
  const times = items.map(({ receivedAt }) => receivedAt);
  const filter: EventFilter = {
    sources: [...new Set(items.map(({ pk }) => splitEventPk(pk).sourceId))],
    statuses: EVENT_STATUSES.filter(known => items.some(({ status }) => status === known)),
    since: times.reduce((a, b) => Math.min(a, b), begunAt),
    until: times.reduce((a, b) => Math.max(a, b), 0) + 1,
  };
  const each = Map.groupBy(outcomes, outcome => (outcome === 'already_replayed' ? 'replayed' : outcome));
  const counts = Object.fromEntries([...each].map(([outcome, of]) => [outcome, of.length]));
  const ratePerSecond = operator.deployment.config.replaysPerSecond;
  const request = { filter, ratePerSecond, expected: items.length, by: operator.by, why };
  try {
    return (await noteReplays(request, { begunAt, counts }, gateway)).id;
  } catch {
    return undefined;
  }
}

export interface StartReplay extends MeantForReplay {
  readonly ratePerSecond: number;
  /** As the preview counted. */
  readonly expected: number;
  readonly newKey: boolean;
  readonly why: string;
}

export interface StartedReplay {
  readonly job: ReplayJob;
  /** Why the sweeper could not be asked to begin it now: it begins it in its next run. Absent: it was asked. */
  readonly waits?: string;
}

/** Starts a job, and asks the sweeper to begin it now instead of in its next run. */
export async function startReplay(operator: Operator, request: StartReplay): Promise<StartedReplay> {
  const gateway = await operator.gateway();
  const job = await createReplayJob({ ...request, by: operator.by }, gateway);
  try {
    await gateway.begin('sweep');
    return { job };
  } catch (error) {
    return { job, waits: explainError(error).message };
  }
}

/** When a job began, in words: measured, or what it still waits for. */
export function beginning({ createdAt, begunAt, state }: Beginning, now: EpochMs): string {
  if (begunAt !== undefined) return `began after ${span((begunAt - createdAt) / 1_000)}`;
  if (state !== 'running') return 'never began';
  const age = now - createdAt;
  const waited = `has not begun, ${span(age / 1_000)} after it was started`;
  return age > LATE_MS ? `${waited}: does the sweeper run?` : waited;
}
type Beginning = Pick<ReplayJob, 'createdAt' | 'begunAt' | 'state'>;
/** The sweeper comes every minute; longer than a run that is at work when the next is due. */
const LATE_MS = 2 * MINUTE_MS;

/** The newest jobs first. */
export async function listJobs(operator: Operator, limit: number): Promise<readonly ReplayJob[]> {
  return listReplayJobs(limit, (await operator.gateway()).control);
}

/** Throws OperatorError (not found). */
export async function findJob(operator: Operator, id: string): Promise<ReplayJob> {
  const found = await readReplayJob(id, (await operator.gateway()).control);
  if (!found) throw noJob(operator, id);
  return found.job;
}

/** Throws OperatorError (not found). */
export async function cancelJob(
  operator: Operator,
  id: string,
): Promise<Exclude<CancelResult, { readonly kind: 'not_found' }>> {
  const result = await cancelReplayJob(id, operator.by, await operator.gateway());
  if (result.kind === 'not_found') throw noJob(operator, id);
  return result;
}

/** Events a job is through with, replayed or not. */
export function doneOf(job: ReplayJob): number {
  return Object.values(job.counts).reduce((sum, count) => sum + count, 0);
}

function noJob(operator: Operator, id: string): OperatorError {
  return new OperatorError(
    `No replay job ${id.slice(0, 60)} in ${operator.environment}.\nList them: ${operator.command('replay ls')}`,
    'not_found',
  );
}
