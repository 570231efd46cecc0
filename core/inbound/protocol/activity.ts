/**
 * Which sources had arrivals in an hour: what the sweeper need not ask for. Only a verified request makes a note; a refused
 * one writes none. A few items an hour hold the notes of all sources; test/proof/model/activity-model.ts has the rules (I8).
 */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import { DAY_MS, HOUR_MS, toHour } from '#core/time.ts';
import { hashText } from './event-key.ts';

/** Thirty names of a thousand sources in an item: a write of one unit. */
export const ITEMS_AN_HOUR = 32;
const KEPT_MS = 3 * DAY_MS;
/** Notes are deleted some time after they have expired, never before. */
export const NOTES_COUNT_MS = 2 * DAY_MS;

/** The key of the item with the notes of this source, behind the prefix of control items. */
export function noteKey(source: SourceId, at: EpochMs): string {
  return `active#${toHour(at)}#${hashText(source) % ITEMS_AN_HOUR}`;
}

/** A source may be called as any other attribute of the item is. */
export const noteName = (source: SourceId): string => `a:${source}`;

/** One name on one item; it expires in epoch seconds. */
export interface Note {
  readonly key: string;
  readonly name: string;
  readonly expiresAt: number;
}

/**
 * Makes each note once for a running copy of a function: it remembers what is known to be written. Done once it is written;
 * throws what the write throws: nobody knows then.
 */
export function noteOnce(write: (note: Note) => Promise<void>): (source: SourceId, at: EpochMs) => Promise<void> {
  /** By name: the key of the last note. */
  const known = new Map<string, string>();
  return async (source, at) => {
    const [key, name] = [noteKey(source, at), noteName(source)];
    if (known.get(name) === key) return;
    await write({ key, name, expiresAt: Math.ceil((at + HOUR_MS + KEPT_MS) / 1_000) });
    known.set(name, key);
  };
}
