/**
 * Publishing: the message is stored, a job is accepted by the queue, then the answer is 202. A producer repeats until it
 * hears 202 or a refusal; its key makes every repetition the same message.
 */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, OutboundPorts } from '#core/outbound/ports.ts';
import { putMessage } from '#core/outbound/protocol/delivery-writes.ts';
import { type AppId, type MessageId, messageIdOf } from '#core/outbound/protocol/ids.ts';
import {
  type ApplicationItem,
  type Format,
  type MessageItem,
  storedContentType,
} from '#core/outbound/protocol/items.ts';
import { applicationKey, messageListed } from '#core/outbound/protocol/keys.ts';
import { deliveryExpiry, keptOf, retentionOf } from '#core/outbound/protocol/timings.ts';
import type { Crypto, Telemetry } from '#core/ports.ts';
import { toHex } from '#core/scan/bytes.ts';
import { buildEnvelope } from './envelope.ts';
import { type BodyPorts, emptyBody, MAX_BODY_BYTES, storeBody } from './message-body.ts';

export interface PublishPorts extends BodyPorts, Pick<OutboundPorts, 'jobs' | 'crypto' | 'clock'> {
  readonly store: Pick<ItemStore, 'get' | 'put'>;
  readonly telemetry: Pick<Telemetry, 'count'>;
  /** Puts rows and sends wake-ups at once where they are few; false: the job does it. Absent: always the job. */
  readonly fanOutNow?: (published: {
    readonly message: MessageItem;
    readonly application: ApplicationItem;
    readonly again?: true;
  }) => Promise<boolean>;
  /** Beside `fanOutNow`: its note is written while the message is. */
  readonly noteRows?: (app: AppId) => Promise<void>;
  /** How many endpoints get it, for the one format that shows that; absent: its body has no such number. */
  readonly countMatches?: (application: ApplicationItem, message: MessageItem, data: Uint8Array) => Promise<number>;
}
export interface PublishRules {
  readonly retentionMs: number;
}

type Said = 'channels' | 'apiVersion' | 'schemaVersion' | 'mode' | 'sequence' | 'maxAttempts' | 'traceId';
type PartOfMessage = { readonly [Name in Said]?: MessageItem[Name] | undefined };
/** What a producer publishes, its form already checked. No part of `inputSha`: `schemaVersion`, and `traceId` (W3C `traceparent`). */
export interface Publication extends PartOfMessage {
  readonly app: AppId;
  /** 1 to 256 printable ASCII characters, unique per application. */
  readonly key: string;
  readonly type: string;
  /** `data`: JSON text as given. `raw`: the body itself. */
  readonly content:
    | { readonly kind: 'data'; readonly json: Uint8Array }
    | { readonly kind: 'raw'; readonly bytes: Uint8Array; readonly contentType: string };
  readonly timestamp?: EpochMs | undefined;
  readonly subject?: string | undefined;
  /** Of the producer's own request. No part of `inputSha`: a repetition may come in another request. */
  readonly requestId?: string | undefined;
  readonly format?: Format | undefined;
}

export type Published =
  | { readonly kind: 'accepted'; readonly id: MessageId; readonly createdAt: EpochMs; readonly duplicate: boolean }
  | {
      readonly kind: 'refused';
      readonly cause: 'unknown_application' | 'erasing' | 'too_large' | 'key_reused';
      readonly detail: string;
    };

/** `read`: its application, read for this request. Throws DependencyError where nothing may be promised: the answer is 503, and the producer repeats. */
export async function publish(
  ports: PublishPorts,
  rules: PublishRules,
  given: Publication,
  read?: ApplicationItem,
): Promise<Published> {
  const published = await tryToPublish(ports, rules, given, read);
  ports.telemetry.count(published.kind === 'accepted' ? 'Published' : 'PublishRefused');
  return published;
}

async function tryToPublish(
  ports: PublishPorts,
  rules: PublishRules,
  given: Publication,
  read: ApplicationItem | undefined,
): Promise<Published> {
  // 1. What was given: what tells a repetition from another message.
  const inputSha = inputShaOf(given, ports.crypto);
  const id = messageIdOf(given.app, given.key, ports.crypto);
  const application = read ?? (await ports.store.get(applicationKey(given.app), 'eventual'));
  if (application === undefined)
    return refused('unknown_application', `there is no application ${given.app}: give its id (app_…) or uid:<uid>`);
  if (application.state === 'erasing') return refused('erasing', `${given.app} is being erased`);
  // 2. The body, built once: these bytes are signed and sent.
  const { item, bytes } = await compose(ports, rules, { application, publication: given, id, inputSha });
  const most = Math.min(MAX_BODY_BYTES, application.limits.payloadBytes ?? MAX_BODY_BYTES);
  if (bytes.length > most) {
    const whose = most < MAX_BODY_BYTES ? ` for ${application.id}, its limit` : '';
    return refused('too_large', `the body has ${bytes.length} bytes; at most ${most} are allowed${whose}`);
  }
  // Named by its bytes: a repetition is built anew, with its own time, and must not change what is sent already.
  const stored = await storeBody(ports, item, toHex(ports.crypto.hash('sha256', bytes)).slice(0, 16), bytes);
  // 3. W1. Refused: our own repeated write, or an earlier request that may have died before its job was sent.
  const isFannedOut = read !== undefined && stored.ref === undefined;
  // One that failed is written again before the rows are put, or the job does it.
  const noted = isFannedOut ? ports.noteRows?.(given.app).catch(() => {}) : undefined;
  const [put] = await Promise.all([ports.store.put(putMessage({ ...item, ...stored })), noted]);
  const there = put.kind === 'applied' ? { ...item, ...stored } : put.item;
  // Nothing names it: no erasure of a message would find it.
  if (put.kind === 'refused' && stored.ref !== there?.ref) await emptyBody(ports, item, stored);
  // Versions before this one kept all of the hash.
  if (put.kind === 'refused' && there?.inputSha.slice(0, SHA_LENGTH) !== inputSha) {
    return refused(
      'key_reused',
      `the key "${given.key}" was used for another message: give each message a key of its own`,
    );
  }
  // 4. Its rows and wake-ups, or the job that puts them; only then may anything be promised. What was published before goes to
  // nobody who subscribed since.
  const again = put.kind === 'refused' ? ({ again: true } as const) : {};
  const asked = read && there && (await ports.fanOutNow?.({ message: there, application: read, ...again }));
  const fannedOut = asked === true;
  if (!fannedOut) await ports.jobs.send([{ v: 1, app: given.app, msg: id, ...again }], given.app);
  return { kind: 'accepted', id, createdAt: there?.createdAt ?? item.createdAt, duplicate: put.kind === 'refused' };
}

interface Composition {
  readonly application: ApplicationItem;
  readonly publication: Publication;
  readonly id: MessageId;
  readonly inputSha: string;
}
async function compose(
  ports: PublishPorts,
  rules: PublishRules,
  from: Composition,
): Promise<{ item: MessageItem; bytes: Uint8Array }> {
  const { application, publication, id, inputSha } = from;
  const { app, type, channels, apiVersion, schemaVersion, maxAttempts, traceId, sequence, content } = publication;
  const createdAt = ports.clock.now();
  const mode = publication.mode ?? 'live';
  const base = {
    id,
    app,
    type,
    mode,
    createdAt,
    inputSha,
    ...(channels === undefined || channels.length === 0 ? {} : { channels }),
    ...given({ apiVersion, schemaVersion, maxAttempts, traceId, sequence }),
    ...messageListed(app, createdAt, id),
    expiresAt: deliveryExpiry(
      createdAt,
      createdAt,
      retentionOf(keptOf(application, rules.retentionMs), rules.retentionMs),
    ),
  };
  if (content.kind === 'raw') {
    const type = storedContentType(content.contentType);
    return { item: { ...base, size: content.bytes.length, ...type }, bytes: content.bytes };
  }
  const format = publication.format ?? application.format;
  const unbuilt: MessageItem = { ...base, size: content.json.length };
  // The data alone, without an envelope around it.
  if (format === 'raw') return { item: unbuilt, bytes: content.json };
  const { bytes, contentType, dataAt } = buildEnvelope(format, {
    ...publication,
    id,
    mode,
    apiVersion: apiVersion ?? application.defaultApiVersion,
    at: publication.timestamp ?? createdAt,
    data: content.json,
    pendingWebhooks: format === 'object' ? await ports.countMatches?.(application, unbuilt, content.json) : undefined,
  });
  return { item: { ...base, size: bytes.length, ...storedContentType(contentType), dataAt }, bytes };
}

/** 96 bits: a producer compares its own messages under one key of its own. */
const SHA_LENGTH = 24;

/** Hash of what the producer said, in one order of members. Not of the time, nor of the body that is built. */
export function inputShaOf(given: Publication, crypto: Pick<Crypto, 'hash'>): string {
  const { type, apiVersion, channels, timestamp, mode, subject, sequence, maxAttempts, format, content } = given;
  const said = [type, apiVersion, channels, timestamp, mode, subject, sequence, maxAttempts, format];
  const form = content.kind === 'raw' ? `raw ${content.contentType}` : 'data';
  const head = `${JSON.stringify(said.map(it => it ?? null))}\n${form}\n`;
  const bytes = content.kind === 'raw' ? content.bytes : content.json;
  const sha = crypto.hash('sha256', new TextEncoder().encode(head), bytes);
  return toHex(sha).slice(0, SHA_LENGTH);
}

function refused(cause: Extract<Published, { kind: 'refused' }>['cause'], detail: string): Published {
  return { kind: 'refused', cause, detail };
}
