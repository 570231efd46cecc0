import { type EventKey, type EventPk, toEventPk, toSourceId } from '#core/glossary.ts';
import type { EventAttribute, EventItem, EventItemChange } from '#core/inbound/protocol/event-item.ts';

/** Attributes of any status together: a store takes what it is given. */
export type Mixture = { readonly [K in EventAttribute]?: unknown };
export const mixed = (set: Mixture): EventItemChange => set as EventItemChange;

const AT = 1_767_571_200_000;
const FINISHED = { completedAt: AT };
const DEAD = {
  deadAt: AT,
  deadId: 'dead',
  dlqSent: false,
  cause: 'error',
  lastError: 'error: x',
  attentionSource: 's',
  attentionAt: `${AT}#error#e`,
};
const STATE: { readonly [S in EventItem['status']]?: Mixture } = {
  processing: { owner: 'o', leaseUntil: AT },
  failed: { nextAttemptAt: AT },
  deferred: { nextAttemptAt: AT },
  completed: FINISHED,
  skipped_stale: FINISHED,
  rejected: FINISHED,
  ignored: FINISHED,
  dead_letter: DEAD,
  closed: { ...DEAD, closing: { by: 'ada', why: 'w', at: AT } },
};

/** A plausible state item; whatever a test is about goes into `more`. */
export function makeEventItem(source: string, key: string, more: Mixture = {}): EventItem {
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
    ...STATE[more.status as EventItem['status']],
    ...more,
  } as EventItem;
}
