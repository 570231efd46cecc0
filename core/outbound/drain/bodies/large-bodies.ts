/** Bodies in the bucket are fetched beside what is sent: one that is large, slow or damaged holds up no other row. */

import { type Body, type LargeBodies, persist, type Session } from '#core/outbound/drain/session-state.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import type { MessageItem } from '#core/outbound/protocol/items.ts';
import { readBody } from '#core/outbound/publish/message-body.ts';

export const noLargeBodies = (): LargeBodies => ({ bytes: 0, coming: new Set(), arrived: new Map() });

export const READ_BYTES = 4 * 1024 * 1024;

/** One body that cannot be read stops nobody else's. */
export const bodyOf = (session: Session, message: MessageItem): Promise<Body> =>
  persist(session, () => readBody(session.ports, message)).catch(() => 'unreadable' as const);

export const isLarge = ({ body, ref }: MessageItem): boolean => body === undefined && ref !== undefined;

/** Begins to fetch those for which there is room, and gives the quick ones a moment; then the others go on without them. */
export async function fetchBeside(session: Session, messages: readonly MessageItem[]): Promise<void> {
  const { large, ports, rules } = session;
  const missing = messages.filter(({ id }) => !large.arrived.has(id) && !large.coming.has(id));
  if (missing.length === 0) return;
  // Their rows are gone, or they would have been taken.
  if (large.coming.size === 0) forgetArrived(large, messages);
  const begun = missing.flatMap(message => (hasRoom(large, message) ? [fetchOne(session, message)] : []));
  if (begun.length > 0) await Promise.race([Promise.all(begun), ports.timer.sleep(rules.timings.pollMs)]);
}

const hasRoom = (large: LargeBodies, { size }: MessageItem): boolean =>
  large.bytes === 0 || large.bytes + size <= READ_BYTES;

function forgetArrived(large: LargeBodies, but: readonly MessageItem[]): void {
  const kept = new Set(but.map(({ id }) => id));
  for (const id of [...large.arrived.keys()]) if (!kept.has(id)) takeArrived(large, id);
}

function fetchOne(session: Session, message: MessageItem): Promise<void> {
  const { large, inAir } = session;
  const { id, size } = message;
  large.bytes += size;
  large.coming.add(id);
  const done = bodyOf(session, message).then(body => {
    large.coming.delete(id);
    large.arrived.set(id, { body, size });
    if (inAir.get(id) === done) inAir.delete(id);
  });
  // Until it has arrived its row lies on no page.
  inAir.set(id, done);
  return done;
}

/** Takes a body that has arrived. */
export function takeArrived(large: LargeBodies, id: MessageId): Body {
  const { body, size = 0 } = large.arrived.get(id) ?? {};
  large.arrived.delete(id);
  large.bytes -= size;
  return body;
}
