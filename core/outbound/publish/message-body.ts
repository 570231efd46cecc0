/** The bytes of a message: in its item while they are small, else in the blob store. */
import type { OutboundPorts } from '#core/outbound/ports.ts';
import type { MessageItem } from '#core/outbound/protocol/items.ts';
import { everyPage } from '#core/pages.ts';
import type { BlobList, BlobStore } from '#core/ports.ts';

/** Deflated bodies up to this lie in the item. */
const INLINE_BYTES = 64 * 1024;
export const MAX_BODY_BYTES = 256 * 1024;

export interface BodyPorts extends Pick<OutboundPorts, 'codec'> {
  readonly blobs: BlobStore;
}

type Stored = Pick<MessageItem, 'body' | 'ref'>;
/** Whose body it is: a message owns the object that its `ref` names, and no other message names it. */
export type BodyOwner = Pick<MessageItem, 'app' | 'id'>;
/** Below it lie all bodies of an application. */
export const bodiesOf = (app: MessageItem['app']): string => `outbound/${app}/`;
const placeOf = ({ app, id }: BodyOwner): string => `${bodiesOf(app)}${id}/`;

/** Puts a large body away, before its message is written; says how the item carries it. `name`: of this content. */
export async function storeBody(ports: BodyPorts, owner: BodyOwner, name: string, bytes: Uint8Array): Promise<Stored> {
  const body = ports.codec.deflate(bytes);
  if (body.length <= INLINE_BYTES) return { body };
  const ref = `${placeOf(owner)}${name}`;
  await ports.blobs.put(ref, body);
  return { ref };
}

/** The body once more, for a copy that owns it; undefined: it is gone. Throws DependencyError. */
export async function copyBody(
  { blobs }: Pick<BodyPorts, 'blobs'>,
  message: Stored,
  owner: BodyOwner,
): Promise<Stored | undefined> {
  if (message.ref === undefined) return message.body && { body: message.body };
  const bytes = await blobs.get(message.ref);
  if (bytes === undefined || bytes.length === 0) return undefined;
  const ref = `${placeOf(owner)}copied`;
  await blobs.put(ref, bytes);
  return { ref };
}

/** Empties the object of a message's body, if it is its own. The bucket's lifecycle deletes it; until then nothing is in it. */
export async function emptyBody({ blobs }: Pick<BodyPorts, 'blobs'>, owner: BodyOwner, { ref }: Stored): Promise<void> {
  if (ref?.startsWith(placeOf(owner))) await blobs.put(ref, new Uint8Array());
}

/** Empties whatever lies under a message's name: also what a publish left there that died before its message was written. */
export async function emptyBodies(blobs: BlobStore & BlobList, owner: BodyOwner): Promise<void> {
  for await (const { keys } of everyPage(cursor => blobs.list(placeOf(owner), cursor)))
    for (const key of keys) await blobs.put(key, new Uint8Array());
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
