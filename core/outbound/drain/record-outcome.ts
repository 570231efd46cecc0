/**
 * What an answer leaves behind, in the order that is the proof: the record before the row it makes needless, the new row
 * before the old one goes. Every write may be repeated; whoever comes late is refused by the record's own condition.
 */
import { isOpen } from '#core/outbound/protocol/decide.ts';
import {
  type Delivery,
  type Outcome,
  recordEnd,
  recordFailure,
  recordWait,
  retryRow,
} from '#core/outbound/protocol/delivery-writes.ts';
import type { JobId } from '#core/outbound/protocol/ids.ts';
import type { RecordItem } from '#core/outbound/protocol/items.ts';
import { rowKey } from '#core/outbound/protocol/keys.ts';
import { persist, type Session } from './session-state.ts';

/** A delivery in hand: its row and the attempt it is for. */
export interface InHand {
  readonly delivery: Delivery;
  readonly row: { readonly pk: string; readonly sk: string; readonly job?: JobId };
  readonly n: number;
}

/** W8. */
export function deleteRow(session: Session, row: InHand['row']): Promise<void> {
  return persist(session, () => session.ports.store.delete(rowKey(row)));
}

/** W5, W8: it is over, well or by the receiver's wish. True when this write ended it. */
export async function writeEnd(
  session: Session,
  { delivery, row }: InHand,
  status: 'delivered' | 'aborted',
  outcome: Outcome,
): Promise<boolean> {
  const { store } = session.ports;
  const result = await persist(session, () => store.update(recordEnd(delivery, status, outcome)));
  await deleteRow(session, row);
  return result.kind === 'applied';
}

/**
 * W6, W7, W8: a charged failure. `nextAt` undefined: the last one. An ordered endpoint keeps its row until the record is
 * final, and goes by `nextAt`. True when this write recorded it.
 */
export async function writeFailure(
  session: Session,
  hand: InHand,
  nextAt: number | undefined,
  outcome: Outcome,
): Promise<boolean> {
  const { store } = session.ports;
  const { delivery, n } = hand;
  const result = await persist(session, () => store.update(recordFailure(delivery, n, nextAt, outcome)));
  await afterFailure(session, hand, result.item);
  return result.kind === 'applied';
}

/** W21, W7, W8: a failure that is not charged, and is followed by a wait of its own. `record`: as it was read. */
export async function writeWait(
  session: Session,
  hand: InHand & { readonly record: RecordItem | undefined },
  wait: { readonly nextAt: number; readonly waits: number },
  outcome: Outcome,
): Promise<void> {
  const { store } = session.ports;
  const { delivery, record } = hand;
  const result = await persist(session, () => store.update(recordWait(delivery, record?.attempts, wait, outcome)));
  await afterFailure(session, hand, result.item);
}

/** `record`: after the write. It was refused: recorded already (the row of its retry may be missing), or final, or newer. */
async function afterFailure(session: Session, hand: InHand, record: RecordItem | undefined): Promise<void> {
  const { delivery, row } = hand;
  const stillOwed = record !== undefined && record.gen === delivery.gen && isOpen(record);
  if (stillOwed && !session.config.endpoint.ordered) await putRetry(session, hand, record);
  if (stillOwed && session.config.endpoint.ordered) session.waitUntil = record.nextAt;
  else await deleteRow(session, row);
}

/** W7, from what the record says. */
export async function putRetry(
  session: Session,
  { delivery }: Pick<InHand, 'delivery'>,
  record: Pick<RecordItem, 'attempts' | 'nextAt'>,
): Promise<void> {
  const { store, clock } = session.ports;
  const now = clock.now();
  const next = { nextAt: record.nextAt ?? now, n: (record.attempts ?? 0) + 1 };
  const rules = { now, retentionMs: session.rules.retentionMs };
  await persist(session, () => store.put(retryRow(delivery, next, rules)));
}
