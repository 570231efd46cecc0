/**
 * A person's replay of one delivery: a new generation of its record and a row, in one transaction, then a wake-up. The
 * `webhook-id` stays, so a receiver that has the message stays idempotent.
 */
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import type { NoteRows } from '#core/outbound/fan-out/note-rows.ts';
import type { ItemStore, OutboundPorts } from '#core/outbound/ports.ts';
import { isOpen } from '#core/outbound/protocol/decide.ts';
import { type Replay, replay } from '#core/outbound/protocol/delivery-writes.ts';
import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { MessageItem, RecordItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { type DeliveryId, messageKey, recordKey, replayNoteKey, runtimeKey } from '#core/outbound/protocol/keys.ts';
import type { Kept } from '#core/outbound/protocol/timings.ts';

export interface ReplayPorts extends Pick<OutboundPorts, 'wake' | 'clock' | 'ids'> {
  readonly store: Pick<ItemStore, 'get' | 'put' | 'transact'>;
  readonly noteRows: NoteRows;
}
/** With the retention of its application (`keptOf`). */
export interface ReplayRequest extends Kept {
  readonly ep: EndpointId;
  readonly msg: MessageId;
  /** The same request replays once. */
  readonly requestId: string;
  readonly by: string;
  readonly why?: string;
  /** Also a delivery that waits for its retry. */
  readonly now?: boolean;
}
export type ReplayRefusal = 'unknown_delivery' | 'message_gone' | 'gate_closed' | 'not_final' | 'already_replayed';
export type Replayed =
  | { readonly kind: 'accepted'; readonly gen: number }
  | { readonly kind: 'refused'; readonly cause: ReplayRefusal };

/** Each try met another transaction: nothing changed, and nobody knows of a reason why not. */
type Busy = { readonly kind: 'busy' };

const TRIES = 3;

/** The message and the endpoint of a replay, or why there is none: its body is gone, or the endpoint. */
export async function findReplayable(
  store: Pick<ItemStore, 'get'>,
  { ep, msg }: Pick<ReplayRequest, 'ep' | 'msg'>,
): Promise<
  { readonly message: MessageItem; readonly runtime: RuntimeItem } | { readonly cause: 'message_gone' | 'gate_closed' }
> {
  const [message, runtime] = await Promise.all([
    store.get(messageKey(msg), 'consistent'),
    store.get(runtimeKey(ep), 'consistent'),
  ]);
  if (message === undefined || message.bodyRemovedAt !== undefined) return { cause: 'message_gone' };
  if (runtime === undefined || runtime.gate === 'deleted') return { cause: 'gate_closed' };
  return { message, runtime };
}

/** Refused: nothing changed. Throws DependencyError where it is not known: the request may be repeated. */
export async function replayDelivery(
  ports: ReplayPorts,
  retentionMs: number,
  request: ReplayRequest,
): Promise<Replayed> {
  const { store, wake } = ports;
  const { ep, msg } = request;
  // 1. The message, whose time is part of every key; and the gate.
  const found = await findReplayable(store, request);
  if ('cause' in found) return refused(found.cause);
  // 2. W28, W17.
  const { app } = found.runtime;
  const delivery = { ep, msg, app, createdAt: found.message.createdAt, ...given({ keepMs: request.keepMs }) };
  const outcome = await replayOnce(ports, delivery, retentionMs, {
    replayId: request.requestId,
    by: request.by,
    ...given({ why: request.why }),
    now: ports.clock.now(),
    alsoRetrying: request.now === true,
  });
  if (outcome.kind === 'busy')
    throw new DependencyError('dynamodb', 'others write the delivery', { outcome: 'not_applied' });
  // 3. The wake-up; a repeated request sends it again.
  if (outcome.kind === 'accepted') await wake.send([{ v: 1, ep }]);
  return outcome;
}

/** W17, against what is there. */
export async function replayOnce(
  { store, ids, noteRows }: Pick<ReplayPorts, 'store' | 'ids' | 'noteRows'>,
  delivery: DeliveryId & Kept & { readonly app: AppId },
  retentionMs: number,
  request: Replay,
): Promise<Replayed | Busy> {
  for (let attempt = 1; ; attempt++) {
    const [record, note] = await Promise.all([
      store.get(recordKey(delivery), 'consistent'),
      request.asOf === undefined ? store.get(replayNoteKey(delivery, request.replayId), 'consistent') : undefined,
      noteRows(delivery.app),
    ]);
    if (record === undefined) return refused('unknown_delivery');
    const known = note?.gen ?? (record.replayId === request.replayId ? record.gen : undefined);
    if (known !== undefined) return { kind: 'accepted', gen: known };
    const cause = refusalOf(record, request);
    if (cause) return refused(cause);
    const result = await store.transact(replay(delivery, record, request, retentionMs), ids.uuid());
    if (result.kind === 'applied') return { kind: 'accepted', gen: record.gen + 1 };
    // Somebody was quicker: what is there now says who. A conflict may be tried again.
    if (attempt >= TRIES) return result.kind === 'conflict' ? { kind: 'busy' } : refused('already_replayed');
  }
}

function refusalOf(record: RecordItem, request: Replay): ReplayRefusal | undefined {
  const { replayedAt } = record;
  if (request.asOf !== undefined && replayedAt !== undefined && replayedAt >= request.asOf) return 'already_replayed';
  // A page was read a while ago: a session may have delivered what waited then.
  if (request.only !== undefined && record.status !== request.only) return 'already_replayed';
  if (!isOpen(record)) return undefined;
  return record.status === 'retrying' && request.alsoRetrying ? undefined : 'not_final';
}

export const refused = (cause: ReplayRefusal): Replayed => ({ kind: 'refused', cause });
