/** Takes the body of a message away, from every copy of it, too. */
import { allOf } from '#core/outbound/pages.ts';
import type { ItemStore, OutboundPorts } from '#core/outbound/ports.ts';
import { removeBody } from '#core/outbound/protocol/delivery-writes.ts';
import type { MessageItem } from '#core/outbound/protocol/items.ts';
import { copiesRange, messageKey } from '#core/outbound/protocol/keys.ts';
import { emptyBodies } from '#core/outbound/publish/message-body.ts';

export interface EraseBodyPorts extends Pick<OutboundPorts, 'blobs' | 'clock'> {
  readonly store: Pick<ItemStore, 'get' | 'query' | 'update'>;
}

/** How many copies were found, copies of copies among them. May be cut off anywhere and repeated. Throws DependencyError. */
export async function eraseBodyOf(ports: EraseBodyPorts, message: MessageItem): Promise<number> {
  const { store, clock } = ports;
  // 1. The bytes in the bucket.
  await emptyBodies(ports.blobs, message);
  // 2. W20: from now on nothing is copied of it.
  await store.update(removeBody(message.id, clock.now()));
  // 3. The copies that were made before.
  let copies = 0;
  for (const { copy: id } of await allOf(store, copiesRange(message.id))) {
    const copy = await store.get(messageKey(id), 'consistent');
    if (copy !== undefined) copies += 1 + (await eraseBodyOf(ports, copy));
  }
  return copies;
}
