/** Bodies at rest: in the payload item while they are small, else in the blob store with their key in the item. */
import type { EpochMs, EventPk } from '#core/glossary.ts';
import type { PayloadStore } from '#core/inbound/ports.ts';
import type { BlobStore, Clock, Codec } from '#core/ports.ts';
import { DAY_MS } from '#core/time.ts';
import { blobKeyOf } from './event-item.ts';
import { expiryAfter } from './event-writes.ts';
import { PAYLOAD_MARGIN_DAYS } from './retention.ts';
import type { WorkMessage } from './work-message.ts';

/** Larger than any body that is accepted: an inflated one that is not ours ends here. */
const MAX_BODY_BYTES = 16 * 1_048_576;
/** Attempts of the first day lie within the margin by which bodies outlive their records. */
const RENEW_AFTER_MS = DAY_MS;

/** Deflated bytes, or their key in the blob store. */
export type BodyPlace = { readonly bytes: Uint8Array } | { readonly ref: string };

export interface BodyToStore {
  readonly pk: EventPk;
  readonly bodySha: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly place: BodyPlace;
}

/** The body as read again, and the headers that came with it. */
export type LoadedBody =
  | { readonly kind: 'body'; readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'missing' };

/** What a message carries of its event's body; undefined: it only names it. */
export function carriedBody({ payload, ref }: WorkMessage, codec: Pick<Codec, 'fromBase64'>): BodyPlace | undefined {
  if (payload !== undefined) return { bytes: codec.fromBase64(payload) };
  return ref === undefined ? undefined : { ref };
}

interface BodyStores {
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly payloads: Pick<PayloadStore, 'putBody'>;
  readonly clock: Clock;
}
interface BodyRules {
  readonly inlineLimitBytes: number;
  readonly retentionDays: number;
}

/** Puts a body where one of its size belongs, for a whole lifetime from now. Throws DependencyError. */
export async function storeBody(body: BodyToStore, ports: BodyStores, rules: BodyRules): Promise<void> {
  await putBody({ ...body, place: await placeBody(body, ports, rules) }, ports, rules);
}

/** First half: a large body goes to the blob store. Answers where it is now. Throws DependencyError. */
export async function placeBody(
  { pk, bodySha, place }: Pick<BodyToStore, 'pk' | 'bodySha' | 'place'>,
  { blobs }: Pick<BodyStores, 'blobs'>,
  { inlineLimitBytes }: Pick<BodyRules, 'inlineLimitBytes'>,
): Promise<BodyPlace> {
  if (!('bytes' in place) || place.bytes.length <= inlineLimitBytes) return place;
  const ref = blobKeyOf(pk, bodySha);
  await blobs.put(ref, place.bytes);
  return { ref };
}

/** Second half: the item that holds the body, or says where it is. Throws DependencyError. */
export async function putBody(
  { pk, bodySha, headers, place }: BodyToStore,
  { payloads, clock }: Pick<BodyStores, 'payloads' | 'clock'>,
  { retentionDays }: Pick<BodyRules, 'retentionDays'>,
): Promise<void> {
  const expiresAt = expiryAfter(clock.now(), retentionDays + PAYLOAD_MARGIN_DAYS);
  await payloads.putBody({ pk, sk: `B#${bodySha}`, headers, expiresAt, ...place });
}

/**
 * The stored body of an event with this hash. A large one is put anew when the event came more than a day ago: the blob
 * store counts a lifetime from the last put, and the record may live as long again from this attempt on. Throws
 * DependencyError.
 */
export async function readBody(
  { pk, bodySha, receivedAt }: { readonly pk: EventPk; readonly bodySha: string; readonly receivedAt: EpochMs },
  ports: {
    readonly payloads: Pick<PayloadStore, 'getBody'>;
    readonly blobs: Pick<BlobStore, 'get' | 'put'>;
    readonly codec: Pick<Codec, 'inflate'>;
    readonly clock: Clock;
  },
): Promise<LoadedBody> {
  const stored = await ports.payloads.getBody(pk, bodySha);
  if (!stored) return { kind: 'missing' };
  const { ref } = stored;
  const deflated = stored.bytes ?? (ref === undefined ? undefined : await ports.blobs.get(ref));
  if (!deflated) return { kind: 'missing' };
  const bytes = inflateBody(deflated, ports.codec);
  if (ref !== undefined && ports.clock.now() - receivedAt > RENEW_AFTER_MS) await ports.blobs.put(ref, deflated);
  return { kind: 'body', bytes, headers: stored.headers };
}

/** Puts a large body of an event that waits for long anew. False: it is in no store. Throws DependencyError. */
export async function renewBody(
  { pk, bodySha }: { readonly pk: EventPk; readonly bodySha: string },
  { payloads, blobs }: { readonly payloads: Pick<PayloadStore, 'getBody'>; readonly blobs: BlobStore },
): Promise<boolean> {
  const stored = await payloads.getBody(pk, bodySha);
  if (stored?.ref === undefined) return stored !== undefined;
  const deflated = await blobs.get(stored.ref);
  if (deflated !== undefined) await blobs.put(stored.ref, deflated);
  return deflated !== undefined;
}

export function inflateBody(deflated: Uint8Array, codec: Pick<Codec, 'inflate'>): Uint8Array {
  return codec.inflate(deflated, MAX_BODY_BYTES);
}
