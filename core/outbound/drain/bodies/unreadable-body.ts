/** A stored body that cannot be read is its own row's fault: that row waits, and after a day it is dead. Its neighbours go on. */

import { deleteRow, writeWait } from '#core/outbound/drain/record-outcome.ts';
import type { Sending } from '#core/outbound/drain/sending.ts';
import { persist, type Session, stopFor } from '#core/outbound/drain/session-state.ts';
import { ownWait } from '#core/outbound/drain/settle-failure.ts';
import { recordUnreadable } from '#core/outbound/protocol/delivery-writes.ts';
import { DAY_MS } from '#core/time.ts';

export async function settleUnreadable(session: Session, hand: Omit<Sending, 'body'>): Promise<void> {
  const { ports, rules, config, ep } = session;
  const { delivery, row, record } = hand;
  const now = ports.clock.now();
  const unreadableAt = record?.unreadableAt ?? now;
  const last = { at: now, ms: 0, class: 'body_unreadable' } as const;
  const outcome = { now, retentionMs: rules.retentionMs, last, unreadableAt };
  ports.telemetry.count('OwnFault');
  ports.telemetry.log('error', { message: 'a stored body cannot be read', endpoint: ep, id: delivery.msg });
  // 1. After a day nobody expects it back.
  if (now - unreadableAt >= DAY_MS) {
    const ended = await persist(session, () => ports.store.update(recordUnreadable(delivery, outcome)));
    if (ended.kind === 'applied') {
      session.died += 1;
      ports.telemetry.count('DeadDeliveries');
    }
    return deleteRow(session, row);
  }
  // 2. Until then it waits by itself; nothing passes the head of an ordered endpoint.
  const waits = (record?.waits ?? 0) + 1;
  await writeWait(session, hand, { nextAt: Math.round(now + ownWait(waits, ports.random)), waits }, outcome);
  if (config.endpoint.ordered) stopFor(session, 'waiting');
}
