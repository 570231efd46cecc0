/**
 * Messages and deliveries of another environment, under their own ids, by the rules of
 * test/proof/model/import-deliveries-model.ts. What is stored here travels as text: nothing else of it is needed.
 */
import type { EpochMs } from '#core/glossary.ts';
import { apiVersion, channel, listUpTo, typeName } from '#core/outbound/api/fields.ts';
import { ANSWER_CLASSES } from '#core/outbound/ports.ts';
import { isOpen } from '#core/outbound/protocol/decide.ts';
import type { ImportedDelivery } from '#core/outbound/protocol/delivery-writes.ts';
import {
  FINAL_STATUSES,
  type LastAttempt,
  type MessageItem,
  OPEN_STATUSES,
  type RecordItem,
} from '#core/outbound/protocol/items.ts';
import { type DeliveryId, deadListed, messageListed } from '#core/outbound/protocol/keys.ts';
import { deliveryExpiry, type Kept, retentionOf } from '#core/outbound/protocol/timings.ts';
import { MAX_BODY_BYTES } from '#core/outbound/publish/message-body.ts';
import { type Check, type ChecksOf, number, object, oneOf, text } from '#core/problem.ts';
import { fromBase64, toBase64 } from '#core/scan/bytes.ts';

/** Without its bytes, and without what an environment lists and deletes by. */
export type PortableMessage = Omit<MessageItem, 'body' | 'ref' | 'gpk' | 'gsk' | 'expiresAt'>;
export type PortableRecord = Omit<RecordItem, 'exchange' | 'gpk' | 'gsk' | 'expiresAt'> & {
  /** Base64. */
  readonly exchange?: string;
};

export function portableMessage(item: MessageItem): PortableMessage {
  const { body: _, ref: __, gpk: ___, gsk: ____, expiresAt: _____, ...kept } = item;
  return withoutKey(kept);
}
export function portableRecord({ gpk: _, gsk: __, expiresAt: ___, exchange, ...kept }: RecordItem): PortableRecord {
  return { ...withoutKey(kept), ...(exchange && { exchange: toBase64(exchange) }) };
}
function withoutKey<T extends object>(item: T): T {
  const { pk: _, sk: __, ...kept } = item as T & { readonly pk?: string; readonly sk?: string };
  return kept as unknown as T;
}

const AGAIN = 'export again';
const idOf = (prefix: string): Check =>
  text(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`), `an id (${prefix}_…)`, AGAIN);
const messageId = idOf('msg');
export const endpointId = idOf('ep');
const applicationId = idOf('app');
/** 13 digits, as in the keys. */
const at = number(1_000_000_000_000, 9_999_999_999_999, 'milliseconds');
const count = number(0, 1e12, 'them');
const line = (most: number): Check => text(new RegExp(`^[^]{0,${most}}$`), `text of up to ${most} characters`, AGAIN);

const MESSAGE: ChecksOf<PortableMessage> = {
  ...{ id: messageId, app: applicationId, type: typeName, channels: listUpTo(5, channel), mode: oneOf('live', 'test') },
  ...{ apiVersion, schemaVersion: apiVersion, maxAttempts: number(1, 21, 'attempts'), createdAt: at },
  inputSha: text(/^[0-9a-f]{24,64}$/, 'a hash in hex', AGAIN),
  size: number(0, MAX_BODY_BYTES, 'bytes'),
  dataAt: number(0, MAX_BODY_BYTES, 'bytes'),
  ...{ contentType: line(200), traceId: line(200), sequence: line(100) },
  ...{ only: endpointId, copyOf: messageId, bodyRemovedAt: at },
};
const LAST: ChecksOf<LastAttempt> = {
  at,
  ms: count,
  code: number(100, 999, 'of HTTP'),
  class: oneOf(...ANSWER_CLASSES),
  kid: line(100),
  bytes: count,
};
const RECORD: ChecksOf<PortableRecord> = {
  ...{ gen: number(1, 9_999, 'generations'), status: oneOf(...OPEN_STATUSES, ...FINAL_STATUSES), app: applicationId },
  ...{ attempts: number(0, 999, 'attempts'), nextAt: at, type: typeName, snippet: line(1_024) },
  last: object(LAST, ['at', 'ms', 'class']),
  exchange: text(
    /^(?:[A-Za-z0-9+/]{4}){0,10000}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'base64 of at most 30,000 bytes, in whole groups of four characters',
    AGAIN,
  ),
  ...{ firstAt: at, waits: count, unreadableAt: at, oksBefore: count, headMs: count, headAt: at, endedAt: at },
  ...{ replayId: line(200), replayedAt: at, replayedBy: line(300), why: line(600) },
};
export const messageCheck: Check = object(MESSAGE, ['id', 'app', 'type', 'mode', 'createdAt', 'inputSha', 'size']);
export const recordCheck: Check = object(RECORD, ['gen', 'status', 'app']);

/** What is wrong with a record whose fields are right: what an environment would not have written. */
export function contradictionOf(record: PortableRecord | undefined, row: ImportedDelivery['row']): string | undefined {
  const open = record === undefined || isOpen(record);
  if (open !== (row !== undefined)) return open ? 'it waits, without a row' : 'it ended, with a row';
  if (row === 'later' && record === undefined) return 'a row for later, without a record';
  if (row === 'live' && record !== undefined && record.gen !== 1) return 'a first row of a later generation';
  if (record?.status === 'retrying' && record.nextAt === undefined) return 'retrying, without nextAt';
  return open || record?.endedAt !== undefined ? undefined : 'it ended, without endedAt';
}

/** As it is stored here; its bytes are the caller's. */
export function importedMessage(
  moved: PortableMessage,
  kept: Kept,
  rules: { readonly now: EpochMs; readonly retentionMs: number },
): MessageItem {
  const { app, id, createdAt } = moved;
  const expiresAt = deliveryExpiry(createdAt, rules.now, retentionOf(kept, rules.retentionMs));
  return { ...moved, ...messageListed(app, createdAt, id), expiresAt };
}

export function importedRecord(
  { exchange, ...moved }: PortableRecord,
  { ep, msg, createdAt }: DeliveryId,
  kept: Kept,
  rules: { readonly now: EpochMs; readonly retentionMs: number },
): RecordItem {
  const bytes = exchange === undefined ? undefined : fromBase64(exchange);
  return {
    ...moved,
    ...(bytes && { exchange: bytes }),
    ...(moved.status === 'dead' && moved.endedAt !== undefined ? deadListed(ep, moved.endedAt, msg) : {}),
    expiresAt: deliveryExpiry(createdAt, rules.now, retentionOf(kept, rules.retentionMs)),
  };
}

/**
 * What an import does with a delivery, by what is here. `made`: nothing was here, or it was replayed where it comes from
 * since. `ended`: it waits here, and ended there. `there`: it is left alone.
 */
export function fateOfDelivery(
  moved: PortableRecord | undefined,
  seen: RecordItem | undefined,
  hasRow: boolean,
): 'made' | 'ended' | 'there' {
  if (seen === undefined && !hasRow) return 'made';
  const [there, here] = [moved?.gen ?? 1, seen?.gen ?? 1];
  if (there > here) return 'made';
  const waits = seen === undefined || isOpen(seen);
  return there === here && waits && moved !== undefined && !isOpen(moved) ? 'ended' : 'there';
}

/** The same message as it was published there: not one that a producer published here again. */
export const isSameMessage = (moved: PortableMessage, there: MessageItem): boolean =>
  there.app === moved.app && there.createdAt === moved.createdAt && there.inputSha === moved.inputSha;
