/** What a person gets to know of an event: looked up by our id, or by the provider's id with or without a source. */

import { given } from '#core/given.ts';
import {
  type EpochMs,
  type EventPk,
  eventIdToPk,
  isEventKey,
  type SourceId,
  splitEventPk,
  toEventId,
  toEventPk,
} from '#core/glossary.ts';
import type { EventStore, PayloadStore } from '#core/inbound/ports.ts';
import type { Closing, EventItem } from '#core/inbound/protocol/event-item.ts';
import { SEE_DETAIL } from '#core/inbound/protocol/keep-result.ts';
import { decodeJsonObject, parseJson } from '#core/scan/json-object.ts';
import { toIso } from '#core/time.ts';

const REPLAYS_SHOWN = 5;

export type FoundEvent =
  | { readonly kind: 'found'; readonly item: EventItem }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'ambiguous'; readonly sources: readonly SourceId[] };

/** Finds one event. A bare provider id is looked up in all given sources with one read; several matches are `ambiguous`. */
export async function findEvent(
  id: string,
  source: SourceId | undefined,
  sources: readonly SourceId[],
  store: Pick<EventStore, 'get' | 'getMany'>,
): Promise<FoundEvent> {
  const ours = eventIdToPk(id);
  const own = ours ? await store.get(ours) : undefined;
  if (own && (source === undefined || splitEventPk(own.pk).sourceId === source)) return { kind: 'found', item: own };
  if (!isEventKey(id)) return { kind: 'not_found' };
  const pks: EventPk[] = (source ? [source] : sources).map(it => toEventPk(it, id));
  const found = await store.getMany(pks);
  const [first] = found;
  if (first === undefined) return { kind: 'not_found' };
  if (found.length > 1) return { kind: 'ambiguous', sources: found.map(it => splitEventPk(it.pk).sourceId) };
  return { kind: 'found', item: first };
}

/** The status document of one event; times are ISO 8601, UTC. Never the body. */
export async function reportEvent(
  item: EventItem,
  payloads: Pick<PayloadStore, 'getDetail'>,
): Promise<Record<string, unknown>> {
  const { sourceId, eventKey } = splitEventPk(item.pk);
  const time = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : toIso(ms));
  const detail = item.result === SEE_DETAIL ? await payloads.getDetail(item.pk, `D#${item.gen}`) : undefined;
  return {
    event_id: eventKey,
    id: toEventId(item.pk),
    source: sourceId,
    provider: item.provider,
    event_type: item.eventType,
    status: item.status,
    attempts: item.attempts,
    generation: item.gen,
    received_at: time(item.receivedAt),
    event_at: time(item.eventAt),
    enqueued_at: time(item.enqueuedAt),
    started_at: time(item.startedAt),
    completed_at: time(item.completedAt),
    next_attempt_at: time(item.nextAttemptAt),
    dead_at: time(item.deadAt),
    // A claim writes when it began.
    updated_at: time(Math.max(item.updatedAt, item.startedAt ?? 0)),
    ...closingOf(item),
    action_taken: item.actionTaken,
    result: item.result === undefined ? undefined : parseJson(detail?.detail ?? item.result),
    last_error: item.lastError,
    cause: item.cause,
    parked: item.parked,
    reconciled: item.reconciled,
    attempts_left_out: leftOut(item) || undefined,
    recent_attempts: item.recentAttempts?.map(it => ({
      attempt: it.n,
      at: toIso(it.at),
      duration_ms: it.ms,
      cause: it.cause,
    })),
    body_sha256: item.bodySha,
    size_bytes: item.size,
  };
}

/** One line of a list of events. */
export function summarizeEvent(item: EventItem): Record<string, unknown> {
  const { sourceId, eventKey } = splitEventPk(item.pk);
  return {
    id: toEventId(item.pk),
    event_id: eventKey,
    source: sourceId,
    event_type: item.eventType,
    status: item.status,
    attempts: item.attempts,
    generation: item.gen,
    received_at: toIso(item.receivedAt),
    cause: item.cause,
    last_error: item.lastError,
    action_taken: item.actionTaken,
    ...closingOf(item),
  };
}

/** Who closed a death and why, as a person reads it. */
function closingOf({ closing }: EventItem): Record<string, unknown> {
  return closing === undefined ? {} : { closed_at: toIso(closing.at), closed_by: closing.by, closed_why: closing.why };
}

export interface TimelineStep {
  readonly at: string;
  readonly step: string;
  readonly note?: string;
}

/** The same document with the event's history: who replayed it and why, its attempts, what comes next. */
export async function reportHistory(
  item: EventItem,
  payloads: Pick<PayloadStore, 'getDetail'>,
): Promise<Record<string, unknown> & { readonly timeline: readonly TimelineStep[] }> {
  const replays = await readReplayNotes(item, payloads);
  const steps: { readonly at: EpochMs | undefined; readonly step: string; readonly note?: string | undefined }[] = [
    { at: item.receivedAt, step: 'accepted', note: acceptedAs(item) },
    ...replays.flatMap(({ reopens }) => (reopens === undefined ? [] : [closedStep(reopens)])),
    ...replays.map(({ at, by, why, gen }) => ({ at, step: 'replayed', note: `generation ${gen}, by ${by}: ${why}` })),
    { at: item.enqueuedAt, step: 'queued' },
    ...leftOutStep(item),
    ...(item.recentAttempts ?? []).map(({ at, n, ms, cause }) => ({
      at,
      step: `attempt ${n}`,
      note: `${cause}, ${ms} ms`,
    })),
    {
      at: item.status === 'processing' ? item.startedAt : undefined,
      step: `attempt ${item.attempts}`,
      note: 'running',
    },
    { at: item.completedAt, step: item.status, note: item.actionTaken },
    { at: item.deadAt, step: 'dead_letter', note: item.lastError },
    ...(item.closing === undefined ? [] : [closedStep(item.closing)]),
    { at: item.nextAttemptAt, step: 'next attempt', note: item.parked ? 'parked until then' : undefined },
  ];
  const timeline = steps
    .flatMap(({ at, step, note }) => (at === undefined ? [] : [{ at, step, ...given({ note }) }]))
    .sort((a, b) => a.at - b.at)
    .map(step => ({ ...step, at: toIso(step.at) }));
  return {
    ...(await reportEvent(item, payloads)),
    replays: replays.map(it => ({ ...it, at: toIso(it.at) })),
    timeline,
  };
}

/** A record keeps its last three attempts: this is the number of earlier ones of the same run, which are not in it. */
function leftOut({ recentAttempts = [] }: EventItem): number {
  // Numbers begin at 1 again with each replay; one that was given back comes twice.
  const start = recentAttempts.findLastIndex((it, at) => it.n < (recentAttempts[at - 1]?.n ?? 0));
  const [first] = recentAttempts.slice(Math.max(0, start));
  return first === undefined ? 0 : first.n - 1;
}

function leftOutStep(item: EventItem): readonly { at: EpochMs | undefined; step: string; note: string }[] {
  const count = leftOut(item);
  if (count === 0) return [];
  const at = item.recentAttempts?.find(it => it.n === count + 1)?.at;
  const step = count === 1 ? 'attempt 1' : `attempts 1 to ${count}`;
  return [{ at, step, note: `not kept in the record: holdfast logs --event ${toEventId(item.pk)}` }];
}

function closedStep({ at, by, why }: Closing): { at: EpochMs; step: string; note: string } {
  return { at, step: 'closed', note: `by ${by}: ${why}` };
}

function acceptedAs(item: EventItem): string {
  return item.reconciled ? "never arrived; fetched from the provider's API, recorded" : 'signature verified, recorded';
}

interface ReplayNote {
  readonly gen: number;
  readonly at: EpochMs;
  readonly id: string;
  readonly by: string;
  readonly why: string;
  /** The closing of the death that this replay reopened. */
  readonly reopens?: Closing;
}
type KeptNote = Omit<ReplayNote, 'gen'> & { readonly previous?: string };

/**
 * Who asked for the last generations, as far as their notes are kept. Each note names the replay before it, so that the
 * note of a request that was refused is in nobody's history.
 */
async function readReplayNotes(
  item: EventItem,
  payloads: Pick<PayloadStore, 'getDetail'>,
): Promise<readonly ReplayNote[]> {
  const notes: ReplayNote[] = [];
  let id = item.replayId;
  for (let gen = item.gen; gen > 1 && gen > item.gen - REPLAYS_SHOWN && id !== undefined; gen--) {
    const kept = await payloads.getDetail(item.pk, `N#${gen}#${id}`);
    const note = decodeJsonObject(kept?.detail ?? '')?.['replay'] as KeptNote | undefined;
    // A record that caught up with a message (a restored table) does not know the replay it missed.
    if (typeof note?.at !== 'number') continue;
    const { previous, ...shown } = note;
    notes.push({ ...shown, gen });
    id = previous;
  }
  return notes.reverse();
}
