import { type EventKey, type EventPk, toEventPk, toSourceId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';

/** A plausible state item; whatever a test is about goes into `more`. */
export function makeEventItem(source: string, key: string, more: Partial<EventItem> = {}): EventItem {
  const pk: EventPk = toEventPk(toSourceId(source), key as EventKey);
  return {
    pk,
    status: 'pending',
    schemaVersion: 1,
    provider: 'generic',
    eventType: 'payment.succeeded',
    gen: 1,
    run: 1,
    ingestId: '00000000-0000-4000-8000-000000000001',
    bodySha: 'a'.repeat(64),
    size: 512,
    receivedAt: 1_767_571_200_000,
    updatedAt: 1_767_571_200_000,
    attempts: 0,
    resends: 0,
    timelineHour: `${source}#2026-01-05T00`,
    timelineAt: `1767571200000#${key}`,
    ...more,
  };
}
