/**
 * What the sweeper owes one event ("The sweeper" in docs/understand/how-receiving-works.md), as rows of which the first that fits is carried out.
 * Every write requires the record to be as it was read, so that two sweepers, a processor and a person cannot undo each
 * other.
 */

import { type EpochMs, splitEventPk } from '#core/glossary.ts';
import type { EventUpdate, WriteResult } from '#core/inbound/ports.ts';
import type { EventIn, EventItem, OpenEvent } from '#core/inbound/protocol/event-item.ts';
import {
  countResend,
  type Death,
  dieUnclaimed,
  expiryAfter,
  markSwept,
  rewatch,
  setAside,
  unpark,
  unwatch,
  type WriteRules,
} from '#core/inbound/protocol/event-writes.ts';
import { PAYLOAD_MARGIN_DAYS } from '#core/inbound/protocol/retention.ts';
import { sendDeath } from '#core/inbound/protocol/send-death.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';
import { encodeWorkMessage, groupOf, referenceTo } from '#core/inbound/protocol/work-message.ts';
import type { SweepPorts } from './sweep-ports.ts';

export interface SweepView {
  readonly now: EpochMs;
  /** Messages are waiting in the main queue: what looks overdue may simply be behind them. */
  readonly backlogged: boolean;
  readonly paused: boolean;
  /** An arrival nobody claimed yet is taken as one of them: it is watched, and not sent. */
  readonly takeAsSent?: boolean;
}

/** What became of a sweep: whether a message was sent, and the last write, if there was one. */
export interface SweepResult {
  readonly sent: boolean;
  readonly written?: WriteResult;
}

type SweepRow =
  | { readonly kind: 'unknown' | 'nothing_owed' | 'first_send' | 'take_as_sent' | 'unpark' | 'wait_paused' }
  | { readonly kind: 'overdue'; readonly open: OpenEvent }
  | { readonly kind: 'finish_death'; readonly death: EventIn<'dead_letter'> }
  /** No other row fits before `until`. */
  | { readonly kind: 'wait'; readonly until: EpochMs };

/** Since when the event's next step has been due, or undefined while it is not due yet. */
export function dueSince(item: EventItem, now: EpochMs): EpochMs | undefined {
  const due =
    item.status === 'processing' ? item.leaseUntil : (item.nextAttemptAt ?? item.enqueuedAt ?? item.receivedAt);
  return due <= now ? due : undefined;
}

function rowFor(item: EventItem, view: SweepView, timings: Timings): SweepRow {
  const overdueFrom = (at: EpochMs, open: OpenEvent): SweepRow =>
    view.now >= at ? { kind: 'overdue', open } : { kind: 'wait', until: at };
  switch (item.status) {
    case 'unknown':
      return { kind: 'unknown' };
    case 'completed':
    case 'skipped_stale':
    case 'rejected':
    case 'ignored':
    case 'closed':
      return { kind: 'nothing_owed' };
    case 'dead_letter':
      return item.dlqSent ? { kind: 'nothing_owed' } : { kind: 'finish_death', death: item };
    case 'pending':
      if (item.enqueuedAt === undefined) return { kind: view.takeAsSent ? 'take_as_sent' : 'first_send' };
      // Its own watch says when; the others get a margin past their due time.
      return overdueFrom(item.watchAt ?? view.now, item);
    case 'processing':
      return overdueFrom(item.leaseUntil + timings.overdueMs, item);
    case 'failed':
    case 'deferred':
      if (!item.parked) return overdueFrom(item.nextAttemptAt + timings.overdueMs, item);
      if (item.nextAttemptAt > view.now) return { kind: 'wait', until: item.nextAttemptAt };
      return { kind: view.paused ? 'wait_paused' : 'unpark' };
  }
}

/** Carries out the row. */
export async function sweepEvent(
  item: EventItem,
  view: SweepView,
  ports: SweepPorts,
  rules: WriteRules,
): Promise<SweepResult> {
  const { timings } = rules;
  const { now } = view;
  const write = async (update: EventUpdate, sent = false): Promise<SweepResult> => ({
    sent,
    written: await ports.store.update(update),
  });
  const row = rowFor(item, view, timings);
  switch (row.kind) {
    case 'unknown':
      ports.telemetry.log('error', { stage: 'sweep', pk: item.pk, cause: 'unknown_record' });
      return write(rewatch(item, now + timings.resendCapMs));
    case 'finish_death':
      await sendDeath(item, row.death, ports, rules);
      return { sent: true };
    case 'first_send':
      await sendCopy(item, ports);
      return write(markSwept(item, now, now + timings.resendWaitMs), true);
    case 'take_as_sent':
      return write(markSwept(item, now, now + timings.resendWaitMs));
    case 'unpark':
      await sendCopy(item, ports);
      return write(unpark(item, now + timings.resendWaitMs), true);
    case 'wait_paused':
      return write(setAside(item));
    case 'overdue':
      return resend(row.open, view, ports, rules);
    case 'nothing_owed':
      return write(unwatch(item));
    case 'wait':
      return write(rewatch(item, row.until));
  }
}

async function resend(item: OpenEvent, view: SweepView, ports: SweepPorts, rules: WriteRules): Promise<SweepResult> {
  const { timings } = rules;
  const { now } = view;
  if (view.backlogged) {
    return { sent: false, written: await ports.store.update(rewatch(item, now + timings.resendWaitMs)) };
  }
  const { resends } = item;
  if (resends >= timings.resendLimit) {
    const lastError = `unclaimable: sent ${resends} times and never claimed`;
    const death: Death = { deadId: ports.ids.uuid(), cause: 'unclaimable', lastError };
    const expiresAt = expiryAfter(now, rules.deadRetentionDays + PAYLOAD_MARGIN_DAYS);
    await ports.payloads.raiseBody(item.pk, item.bodySha, expiresAt);
    const written = await ports.store.update(dieUnclaimed(item, now, death, timings));
    if (written.kind === 'refused') return { sent: false, written };
    ports.telemetry.count('DeadLettered', { source: splitEventPk(item.pk).sourceId, cause: 'unclaimable' });
    await sendDeath(written.item, death, ports, rules);
    return { sent: true, written };
  }
  await sendCopy(item, ports);
  const waitMs = Math.min(timings.resendCapMs, timings.resendWaitMs * 2 ** resends);
  const written = await ports.store.update(countResend(item, now + waitMs));
  ports.telemetry.count('SweeperResent');
  return { sent: true, written };
}

async function sendCopy(item: EventItem, ports: SweepPorts): Promise<void> {
  await ports.queue.send(encodeWorkMessage({ ...referenceTo(item), again: true }), { groupId: groupOf(item) });
}
