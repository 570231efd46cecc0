/** What a person gets to know of an event: looked up by our id, or by the provider's id with or without a source. */
import type { EventItem } from '../event-item.ts';
import {
  type EventPk,
  eventIdToPk,
  isEventKey,
  type SourceId,
  splitEventPk,
  toEventId,
  toEventPk,
} from '../glossary.ts';
import type { EventStore, PayloadStore } from '../ports.ts';
import { toIso } from '../time.ts';
import { parseJson } from './decode-json-object.ts';

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
  const detail = item.result === '"see detail"' ? await payloads.getDetail(item.pk, item.gen) : undefined;
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
    action_taken: item.actionTaken,
    result: item.result === undefined ? undefined : parseJson(detail?.detail ?? item.result),
    last_error: item.lastError,
    cause: item.cause,
    parked: item.parked,
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
