/**
 * A person's decision about one dead event: it will not be replayed. It leaves the open dead letters at once and stays
 * visible with who and why. Its message leaves the DLQ with the sweeper's next drain; a replay reopens it.
 */
import type { EventStore } from '#core/inbound/ports.ts';
import type { Clock } from '#core/ports.ts';
import { capText } from '#core/scan/text.ts';
import type { EventItem } from './event-item.ts';
import { close, type WriteRules } from './event-writes.ts';

/** Of the record's 1 KB. */
const WHY_LIMIT = 200;
const BY_LIMIT = 60;

/** `changed`: it was replayed, redriven or died again since it was read. `gone`: its retention is over. */
export type CloseResult = 'closed' | 'already_closed' | 'changed' | 'gone';

/** Closes the death of `item`, as it was read, and no later one. */
export async function closeDeath(
  item: EventItem,
  { by, why }: { readonly by: string; readonly why: string },
  ports: { readonly store: Pick<EventStore, 'update'>; readonly clock: Clock },
  rules: WriteRules,
): Promise<CloseResult> {
  if (item.status !== 'dead_letter' && item.status !== 'closed') return 'changed';
  const closing = { by: capText(by, BY_LIMIT), why: capText(why, WHY_LIMIT), at: ports.clock.now() };
  const written = await ports.store.update(close(item, closing, rules));
  if (written.kind === 'applied') return 'closed';
  if (written.item === undefined) return 'gone';
  return written.item.status === 'closed' && written.item.deadId === item.deadId ? 'already_closed' : 'changed';
}
