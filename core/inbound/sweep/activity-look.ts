/**
 * What one run of the sweeper need not ask for: a source without a note of the hour had nothing in it. Notes count for hours
 * that began an hour after the sweeper began to run without a gap. Then every copy of ingest makes them: a deploy is over, one
 * that was rolled back shows as a gap, and so does a restored table, of which a copy may remember notes that are gone.
 */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import { NOTES_COUNT_MS, noteKey, noteName } from '#core/inbound/protocol/activity.ts';
import { HOUR_MS } from '#core/time.ts';
import { DEPLOY_MS, type Unbroken } from '#core/unbroken.ts';

/** False: nothing was accepted of the source in the hour of `at`. True also where nobody knows. */
export type ActivityLook = (source: SourceId, at: EpochMs) => Promise<boolean>;

/** `unbroken`: of this run; undefined: nobody knows, and everything is asked for. */
export function activityLook(
  store: Pick<EventStore, 'noted'>,
  sources: readonly SourceId[],
  unbroken: Unbroken | undefined,
  guard: <T>(work: () => Promise<T>) => Promise<T | undefined>,
): ActivityLook {
  /** Notes of an hour; undefined: they could not be read. */
  const hours = new Map<number, Promise<ReadonlySet<string> | undefined>>();
  return async (source, at) => {
    if (!notesCount(at, unbroken)) return true;
    const hour = Math.floor(at / HOUR_MS);
    let notes = hours.get(hour);
    if (notes === undefined) {
      const keys = [...new Set(sources.map(each => noteKey(each, at)))];
      notes = guard(() => store.noted(keys));
      hours.set(hour, notes);
    }
    return (await notes)?.has(noteName(source)) ?? true;
  };
}

function notesCount(at: EpochMs, unbroken: Unbroken | undefined): boolean {
  const hour = at - (at % HOUR_MS);
  return unbroken !== undefined && hour >= unbroken.since + DEPLOY_MS && hour > unbroken.at - NOTES_COUNT_MS;
}
