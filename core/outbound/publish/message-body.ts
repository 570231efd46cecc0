/** The bytes of a message: in its item while they are small, else in the blob store. */
import type { MessageItem } from '#core/outbound/protocol/items.ts';
import type { BlobStore, Codec } from '#core/ports.ts';

/** Deflated bodies up to this lie in the item. */
const INLINE_BYTES = 64 * 1024;
export const MAX_BODY_BYTES = 256 * 1024;

export interface BodyPorts {
  readonly codec: Pick<Codec, 'deflate' | 'inflate'>;
  readonly blobs: BlobStore;
}

/** Puts a large body away, before its message is written; says how the item carries it. */
export async function storeBody(
  ports: BodyPorts,
  key: string,
  bytes: Uint8Array,
): Promise<Pick<MessageItem, 'body' | 'ref'>> {
  const body = ports.codec.deflate(bytes);
  if (body.length <= INLINE_BYTES) return { body };
  const ref = `outbound/${key}`;
  await ports.blobs.put(ref, body);
  return { ref };
}

/**
 * The bytes as they were published; undefined when they are gone for good: the blob store reads what was written, and
 * nothing is what an erasure leaves there. Throws DependencyError when they cannot be had now.
 */
export async function readBody(
  ports: BodyPorts,
  message: Pick<MessageItem, 'body' | 'ref'>,
): Promise<Uint8Array | undefined> {
  const stored = message.body ?? (message.ref === undefined ? undefined : await ports.blobs.get(message.ref));
  return stored && stored.length > 0 ? ports.codec.inflate(stored, 2 * MAX_BODY_BYTES) : undefined;
}
