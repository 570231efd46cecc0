/**
 * What one run of the sweeper need not ask for: a source without a note of the hour had nothing in it. Notes count for hours
 * that began an hour after the sweeper began to run without a gap. Then every copy of ingest makes them: a deploy is over, one
 * that was rolled back shows as a gap, and so does a restored table, of which a copy may remember notes that are gone.
 */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import { NOTES_COUNT_MS, noteKey, noteName } from '#core/inbound/protocol/activity.ts';
import { HOUR_MS, toHour } from '#core/time.ts';
import { DEPLOY_MS, type Unbroken } from '#core/unbroken.ts';

export class ActivityLook {
  readonly #store: Pick<EventStore, 'noted'>;
  readonly #sources: readonly SourceId[];
  readonly #unbroken: Unbroken | undefined;
  /** Notes of an hour; undefined: they could not be read. */
  readonly #hours = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  readonly #guard: <T>(work: () => Promise<T>) => Promise<T | undefined>;

  /** `unbroken`: of this run; undefined: nobody knows, and everything is asked for. */
  constructor(
    store: Pick<EventStore, 'noted'>,
    sources: readonly SourceId[],
    unbroken: Unbroken | undefined,
    guard: <T>(work: () => Promise<T>) => Promise<T | undefined>,
  ) {
    this.#store = store;
    this.#sources = sources;
    this.#unbroken = unbroken;
    this.#guard = guard;
  }

  /** False: nothing was accepted of the source in the hour of `at`. True also where nobody knows. */
  async mayHave(source: SourceId, at: EpochMs): Promise<boolean> {
    if (!this.#counts(at)) return true;
    const hour = toHour(at);
    let notes = this.#hours.get(hour);
    if (notes === undefined) {
      notes = this.#read(at);
      this.#hours.set(hour, notes);
    }
    return (await notes)?.has(noteName(source)) ?? true;
  }

  #counts(at: EpochMs): boolean {
    if (this.#unbroken === undefined) return false;
    const hour = at - (at % HOUR_MS);
    return hour >= this.#unbroken.since + DEPLOY_MS && hour > this.#unbroken.at - NOTES_COUNT_MS;
  }

  #read(at: EpochMs): Promise<ReadonlySet<string> | undefined> {
    const keys = [...new Set(this.#sources.map(source => noteKey(source, at)))];
    return this.#guard(() => this.#store.noted(keys));
  }
}
