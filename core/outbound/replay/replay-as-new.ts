/**
 * A copy of a message under a new `webhook-id`, for one endpoint only, with a body of its own, byte for byte: what becomes
 * of the copy never touches the original, whose customer may be another.
 */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { COPY_WRITES, copyMessage, liveRow } from '#core/outbound/protocol/delivery-writes.ts';
import { type AppId, type EndpointId, type MessageId, messageIdOf } from '#core/outbound/protocol/ids.ts';
import type { MessageItem } from '#core/outbound/protocol/items.ts';
import { messageKey, messageListed, recordKey, rowKey } from '#core/outbound/protocol/keys.ts';
import { deliveryExpiry, retentionOf } from '#core/outbound/protocol/timings.ts';
import { type BodyPorts, copyBody, emptyBody } from '#core/outbound/publish/message-body.ts';
import type { Crypto } from '#core/ports.ts';
import { findReplayable, type Replayed, type ReplayPorts, type ReplayRequest, refused } from './replay-delivery.ts';

export interface CopyPorts extends ReplayPorts, Pick<BodyPorts, 'blobs'> {
  readonly crypto: Pick<Crypto, 'hash'>;
}
type Published = { readonly kind: 'published'; readonly id: MessageId };

const TRIES = 3;

/** Refused: nothing is sent. Throws DependencyError where it is not known: the request may be repeated. */
export async function replayAsNew(
  ports: CopyPorts,
  retentionMs: number,
  request: ReplayRequest,
): Promise<Replayed | Published> {
  const { store, wake, clock } = ports;
  const { ep, msg } = request;
  // 1. The message, and whether this endpoint may have it.
  const found = await findReplayable(store, request);
  if ('cause' in found) return refused(found.cause);
  const { message, runtime } = found;
  // A message of another application was a broadcast, or is none of this endpoint's.
  const got = { ep, msg, createdAt: message.createdAt };
  if (message.app !== runtime.app && !(await store.get(recordKey(got), 'consistent')))
    return refused('unknown_delivery');
  // 2. Its body once more, then W23; W28 beside it.
  const kept = given({ keepMs: request.keepMs });
  const to = { ep, app: runtime.app, requestId: request.requestId, now: clock.now() };
  const unstored = copyOf(message, to, retentionOf(kept, retentionMs), ports.crypto);
  const [copy] = await Promise.all([putCopy(ports, message, unstored), ports.noteRows(runtime.app)]);
  if (copy === undefined) return refused('message_gone');
  // 3. W2 and the wake-up; a repeated request puts the same row again.
  const { pk, sk, ...row } = liveRow(
    { ep, msg: copy.id, createdAt: copy.createdAt, type: copy.type, ...kept },
    clock.now(),
    retentionMs,
  );
  await store.put({ kind: 'put', key: rowKey({ pk, sk }), item: row });
  await wake.send([{ v: 1, ep }]);
  return { kind: 'published', id: copy.id };
}

/** The copy as it is stored; undefined: its original's body is gone. */
async function putCopy(ports: CopyPorts, of: MessageItem, unstored: MessageItem): Promise<MessageItem | undefined> {
  const { store, ids } = ports;
  const there = await store.get(messageKey(unstored.id), 'consistent');
  if (there !== undefined) return there.bodyRemovedAt === undefined ? there : undefined;
  const body = await copyBody(ports, of, unstored);
  if (body === undefined) return undefined;
  const copy = { ...unstored, ...body };
  for (let attempt = 1; ; attempt++) {
    const result = await store.transact(copyMessage(copy, of.id), ids.uuid());
    if (result.kind === 'applied') return copy;
    // Ours, by a request that came twice; else the body was taken away meanwhile, and the copy's goes, too.
    if (result.kind === 'refused' && result.index === COPY_WRITES.copy)
      return (await store.get(messageKey(copy.id), 'consistent')) ?? copy;
    if (result.kind === 'refused' || attempt >= TRIES) {
      await emptyBody(ports, copy, body);
      return undefined;
    }
  }
}

function copyOf(
  message: MessageItem,
  to: { readonly ep: EndpointId; readonly app: AppId; readonly requestId: string; readonly now: EpochMs },
  retentionMs: number,
  crypto: Pick<Crypto, 'hash'>,
): MessageItem {
  const { ep, app, requestId, now } = to;
  const { body: _, ref: __, ...said } = message;
  // No producer gives a key with lines in it.
  const id = messageIdOf(app, `as_new\n${ep}\n${message.id}\n${requestId}`, crypto);
  const listed = messageListed(app, now, id);
  const expiresAt = deliveryExpiry(now, now, retentionMs);
  return { ...said, id, app, createdAt: now, only: ep, copyOf: message.id, ...listed, expiresAt };
}
