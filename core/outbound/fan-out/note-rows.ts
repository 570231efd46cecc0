/**
 * Says that rows of an application come, before the first of an hour is put: else the endpoint check would not ask its
 * endpoints for their first row, and a lost wake-up would wait for a walk over all (test/proof/model/outbound/looks/look-model.ts).
 */
import type { ItemStore } from '#core/outbound/ports.ts';
import { noteRows } from '#core/outbound/protocol/delivery-writes.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { Clock } from '#core/ports.ts';
import { RecentlyUsed } from '#core/recently-used.ts';
import { toHour } from '#core/time.ts';

/** Done once the note is written, or known to be. Throws DependencyError: then no row may be put. */
export type NoteRows = (app: AppId) => Promise<void>;

/** Applications in the memory of one process. */
const KEPT = 20_000;

/** One write of one unit for an application and an hour; calls at the same time share it. */
export function rowNotes(store: Pick<ItemStore, 'put'>, clock: Clock): NoteRows {
  const known = new RecentlyUsed<AppId, { readonly hour: string; readonly written: Promise<void> }>(KEPT);
  return async app => {
    const now = clock.now();
    const hour = toHour(now);
    const last = known.get(app);
    if (last?.hour === hour) return last.written;
    const written = store.put(noteRows(app, now)).then(() => {});
    known.set(app, { hour, written });
    // Nobody knows whether it is there: the next one asks again.
    written.catch(() => known.set(app, { hour: '', written }));
    return written;
  };
}
