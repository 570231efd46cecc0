/**
 * A key of an index takes 1,000 write units a second, whatever the table's capacity. The events of a source that may send more
 * are spread over several keys of `timeline`, and over more of `watch`. The first keys are those of a source that is not
 * spread: what was stored before is found, and nothing is moved.
 */
import { type EventPk, type SourceId, splitEventPk } from '#core/glossary.ts';
import type { EventStore, EventUpdate, WriteResult } from '#core/inbound/ports.ts';
import { type EventItem, type EventItemChange, WATCH_SHARDS } from './event-item.ts';
import { hashOf } from './event-key.ts';

const UNITS_PER_KEY = 1_000;

/** How many keys of the timeline a source has in each hour; 1: it is not spread. */
export type ShardsOf = (source: SourceId) => number;
/** Of the sources that are spread. */
export type Shards = Readonly<Record<string, number>>;

/** Keys for this rate of events a second: one entry of the timeline each. */
export function shardsFor(eventsPerSecond: number): number {
  return Math.max(1, Math.ceil(eventsPerSecond / UNITS_PER_KEY));
}

export const shardsIn =
  (shards: Shards = {}): ShardsOf =>
  source =>
    shards[source] ?? 1;

/** The keys of an hour of the timeline: the one of before, and those beside it. */
export function timelineKeys(hour: string, shards: number): readonly string[] {
  return Array.from({ length: shards }, (_, n) => timelineKey(hour, n));
}

function timelineKey(hour: string, n: number): string {
  return n === 0 ? hour : `${hour}#${n}`;
}

/** The keys that one of the four parts of the watch has: as many parts as before, each of several keys. */
export function watchKeys(source: string, part: number, shards: number): readonly string[] {
  return Array.from({ length: watchFactor(shards) }, (_, n) => `${source}#${part + n * WATCH_SHARDS}`);
}

/** An event that does not end at once costs the watch two units for each attempt, and there are four parts. */
function watchFactor(shards: number): number {
  return Math.max(1, Math.ceil((2 * shards) / WATCH_SHARDS));
}

function watchKeyOf(pk: EventPk, shards: number): string {
  return `${splitEventPk(pk).sourceId}#${hashOf(pk) % (WATCH_SHARDS * watchFactor(shards))}`;
}

/** Writes that put each event under the keys of its source. */
export class SpreadWriter implements Pick<EventStore, 'insert' | 'update' | 'note'> {
  readonly #store: Pick<EventStore, 'insert' | 'update' | 'note'>;
  readonly #shardsOf: ShardsOf;

  constructor(store: Pick<EventStore, 'insert' | 'update' | 'note'>, shardsOf: ShardsOf) {
    this.#store = store;
    this.#shardsOf = shardsOf;
  }

  insert(item: EventItem): Promise<WriteResult> {
    const shards = this.#shardsOf(splitEventPk(item.pk).sourceId);
    if (shards === 1) return this.#store.insert(item);
    const timelineHour = timelineKey(item.timelineHour, hashOf(item.pk) % shards);
    const watched = item.watchShard === undefined ? {} : { watchShard: watchKeyOf(item.pk, shards) };
    return this.#store.insert({ ...item, timelineHour, ...watched });
  }

  readonly note: EventStore['note'] = (source, at) => this.#store.note(source, at);

  update(update: EventUpdate): Promise<WriteResult> {
    return this.#store.update(this.spread(update));
  }

  protected spread(update: EventUpdate): EventUpdate {
    const { pk, set } = update;
    const shards = this.#shardsOf(splitEventPk(pk).sourceId);
    if (shards === 1 || !('watchShard' in set)) return update;
    const spread: EventItemChange = { ...set, watchShard: watchKeyOf(pk, shards) };
    return { ...update, set: spread };
  }
}
