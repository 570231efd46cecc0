/**
 * What the sweeper owes one event, as the table of docs/protocol.md: first matching row. Every write requires the record
 * to be as it was read, so that two sweepers, a processor and a person cannot undo each other.
 */
import { type EventItem, isKnownRecord } from '../event-item.ts';
import { type EpochMs, splitEventPk } from '../glossary.ts';
import type { Timings } from '../resolved-config.ts';
import {
  countResend,
  type Death,
  dieUnclaimed,
  expiryAfter,
  FAR,
  markSwept,
  rewatch,
  unpark,
  unwatch,
  type WriteRules,
} from './event-writes.ts';
import { referenceTo, sendDeath } from './finish-event.ts';
import { PAYLOAD_MARGIN_DAYS } from './retention.ts';
import type { SweepPorts } from './sweep.ts';
import { encodeWorkMessage } from './work-message.ts';

export interface SweepView {
  readonly now: EpochMs;
  /** Messages are waiting in the main queue: what looks overdue may simply be behind them. */
  readonly backlogged: boolean;
  readonly paused: boolean;
}

type SweepRow =
  | 'unknown'
  | 'finish_death'
  | 'first_send'
  | 'unpark'
  | 'wait_paused'
  | 'overdue'
  | 'nothing_owed'
  | 'wait';

/** Since when the event's next step has been due, or undefined while it is not due yet. */
export function dueSince(item: EventItem, now: EpochMs): EpochMs | undefined {
  const due =
    item.status === 'processing' ? item.leaseUntil : (item.nextAttemptAt ?? item.enqueuedAt ?? item.receivedAt);
  return due !== undefined && due <= now ? due : undefined;
}

function rowFor(item: EventItem, view: SweepView, timings: Timings): SweepRow {
  const { now } = view;
  if (!isKnownRecord(item)) return 'unknown';
  switch (item.status) {
    case 'dead_letter':
      return item.dlqSent === true ? 'nothing_owed' : 'finish_death';
    case 'completed':
    case 'skipped_stale':
    case 'rejected':
    case 'ignored':
      return 'nothing_owed';
    case 'pending':
    case 'processing':
    case 'failed':
    case 'deferred':
      break;
  }
  if (item.status === 'pending' && item.enqueuedAt === undefined) return 'first_send';
  if (item.parked) {
    if ((item.nextAttemptAt ?? 0) > now) return 'wait';
    return view.paused ? 'wait_paused' : 'unpark';
  }
  return now >= overdueAt(item, timings) ? 'overdue' : 'wait';
}

/** When the overdue row may apply: a pending event's own watch says so, the others get a margin past their due time. */
function overdueAt(item: EventItem, timings: Timings): EpochMs {
  switch (item.status) {
    case 'processing':
      return (item.leaseUntil ?? 0) + timings.overdueMs;
    case 'failed':
    case 'deferred':
      return (item.nextAttemptAt ?? 0) + timings.overdueMs;
    default:
      return item.watchAt ?? 0;
  }
}

/** Carries out the row; true when a message was sent. */
export async function sweepEvent(
  item: EventItem,
  view: SweepView,
  ports: SweepPorts,
  rules: WriteRules,
): Promise<boolean> {
  const { timings } = rules;
  const { now } = view;
  switch (rowFor(item, view, timings)) {
    case 'unknown':
      ports.telemetry.log('error', { stage: 'sweep', pk: item.pk, cause: 'unknown_record' });
      await ports.store.update(rewatch(item, now + timings.resendCapMs));
      return false;
    case 'finish_death':
      await sendDeath(item, ports, rules);
      return true;
    case 'first_send':
      await sendCopy(item, ports);
      await ports.store.update(markSwept(item, now, now + timings.resendWaitMs));
      return true;
    case 'unpark':
      await sendCopy(item, ports);
      await ports.store.update(unpark(item, now + timings.resendWaitMs));
      return true;
    case 'wait_paused':
      await ports.store.update(rewatch(item, FAR));
      return false;
    case 'overdue':
      return resend(item, view, ports, rules);
    case 'nothing_owed':
      await ports.store.update(unwatch(item));
      return false;
    case 'wait':
      await ports.store.update(rewatch(item, earliestRow(item, timings)));
      return false;
  }
}

async function resend(item: EventItem, view: SweepView, ports: SweepPorts, rules: WriteRules): Promise<boolean> {
  const { timings } = rules;
  const { now } = view;
  if (view.backlogged) {
    await ports.store.update(rewatch(item, now + timings.resendWaitMs));
    return false;
  }
  // A record of an older version may have none: without an end it would be sent every minute.
  const resends = item.resends ?? 0;
  if (resends >= timings.resendLimit) {
    const lastError = `unclaimable: sent ${resends} times and never claimed`;
    const death: Death = { deadId: ports.ids.uuid(), cause: 'unclaimable', lastError };
    const expiresAt = expiryAfter(now, rules.deadRetentionDays + PAYLOAD_MARGIN_DAYS);
    await ports.payloads.raiseBody(item.pk, item.bodySha, expiresAt);
    const written = await ports.store.update(dieUnclaimed(item, now, death, timings));
    if (written.kind === 'refused') return false;
    ports.telemetry.count('DeadLettered', { source: splitEventPk(item.pk).sourceId, cause: 'unclaimable' });
    await sendDeath(written.item, ports, rules);
    return true;
  }
  await sendCopy(item, ports);
  const waitMs = Math.min(timings.resendCapMs, timings.resendWaitMs * 2 ** resends);
  await ports.store.update(countResend(item, now + waitMs));
  ports.telemetry.count('SweeperResent');
  return true;
}

/** The earliest time another row can apply to an event that owes nothing yet. */
function earliestRow(item: EventItem, timings: Timings): EpochMs {
  return item.parked ? (item.nextAttemptAt ?? FAR) : overdueAt(item, timings);
}

async function sendCopy(item: EventItem, ports: SweepPorts): Promise<void> {
  const replayed = item.gen > 1 ? 'replay#' : '';
  await ports.queue.send(encodeWorkMessage({ ...referenceTo(item), again: true }), {
    groupId: `${replayed}${splitEventPk(item.pk).sourceId}`,
  });
}
