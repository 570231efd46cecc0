/**
 * Follows the event log: every event once when it arrives, and once more when it ends. The place is stored, so a later
 * run goes on there; each look goes back a little, because an index may show an entry late, and further back now and
 * then, because a record may be written late. What was told is remembered for that long.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EpochMs, EventPk, SourceId } from '#core/glossary.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import type { Clock, Timer } from '#core/ports.ts';
import { groupsOf } from '#core/side-by-side.ts';
import { MINUTE_MS } from '#core/time.ts';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { usageError } from '#operator/operator-error.ts';

const POLL_MS = 1_000;
const LOOK_BACK_MS = 20_000;
const DEEP_LOOK_EVERY_MS = 30_000;
const DEEP_LOOK_BACK_MS = 15 * MINUTE_MS;
const BATCH = 100;

/** Where a follower is: everything received before `at` was looked at, and these were told since then. */
export interface Place {
  readonly at: EpochMs;
  /** Where the follower began: what was received before is not its business. */
  readonly from: EpochMs;
  /** Key, and when it was received. */
  readonly told: readonly (readonly [EventPk, EpochMs])[];
}
export interface PlaceMemory {
  load(): Place | undefined;
  save(place: Place): void;
}

export interface FollowOptions {
  readonly store: Pick<EventStore, 'timeline' | 'getMany'>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly sources: readonly SourceId[];
  readonly memory: PlaceMemory;
  /** Begin there, whatever is stored. Default: the stored place, else now. */
  readonly since?: EpochMs;
  /** Tell of an event again when it ends. Default true. */
  readonly endings?: boolean;
  /** Tell of it also when it has failed, or waits, after another attempt. Default false. */
  readonly failures?: boolean;
  readonly onOutage?: (message: string) => void;
  /** Told after each look that went well. */
  readonly onLooked?: () => void;
  /** Between two looks, milliseconds. Default 1,000. */
  readonly pollMs?: number;
}

/** Told of an event; false: it could not be taken, so it is offered again. */
export type Listener = (item: EventItem) => Promise<boolean>;

export class FollowLog {
  readonly #options: FollowOptions;
  readonly #told: Map<EventPk, EpochMs>;
  /** What has not ended, and which attempt of it was told last. */
  readonly #open = new Map<EventPk, string>();
  readonly #from: EpochMs;
  #at: EpochMs;
  #unsaved = true;
  #deepAt = Number.NEGATIVE_INFINITY;
  #inOutage = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    const stored = options.since === undefined ? options.memory.load() : undefined;
    this.#at = options.since ?? stored?.at ?? options.clock.now();
    this.#from = options.since ?? stored?.from ?? this.#at;
    this.#told = new Map(stored?.told ?? []);
  }

  /** Until aborted. An outage of the log is waited out; then everything since is told. */
  async follow(listener: Listener, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#look(listener, signal);
        this.#inOutage = false;
        this.#options.onLooked?.();
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Error) || error.name !== 'DependencyError') throw error;
        if (!this.#inOutage) this.#options.onOutage?.(error.message);
        this.#inOutage = true;
      }
      await this.#options.timer.sleep(this.#options.pollMs ?? POLL_MS);
    }
  }

  async #look(listener: Listener, signal: AbortSignal): Promise<void> {
    const { clock, sources, store } = this.#options;
    const now = clock.now();
    const deep = now - this.#deepAt >= DEEP_LOOK_EVERY_MS;
    const since = Math.max(this.#from, this.#at - (deep ? DEEP_LOOK_BACK_MS : LOOK_BACK_MS));
    const window = { sources, since, until: now + 1 };
    let reader = new TimelineReader(window, 'oldest', undefined, store);
    while (!reader.finished) {
      const entries = await reader.next(BATCH, entry => !this.#told.has(entry.pk));
      const items = await store.getMany(entries.map(entry => entry.pk));
      for (const item of items.toSorted((a, b) => a.receivedAt - b.receivedAt)) {
        if (signal.aborted || !(await listener(item))) return;
        this.#told.set(item.pk, item.receivedAt);
        this.#unsaved = true;
        if (!isTerminal(item.status)) this.#open.set(item.pk, attemptOf(item));
      }
      const reached = items.reduce((latest, item) => Math.max(latest, item.receivedAt), this.#at);
      if (items.length > 0) this.#save(reached);
      // Short of entries and not finished: the reader's budget ended, not the log.
      if (entries.length < BATCH) reader = new TimelineReader(window, 'oldest', reader.position, store);
    }
    await this.#tellChanges(listener, signal);
    if (deep) {
      this.#deepAt = now;
      for (const [pk, receivedAt] of this.#told) if (receivedAt < now - 2 * DEEP_LOOK_BACK_MS) this.#told.delete(pk);
    }
    this.#save(now);
  }

  async #tellChanges(listener: Listener, signal: AbortSignal): Promise<void> {
    const { endings = true, failures = false } = this.#options;
    if (!endings) return;
    for (const pks of groupsOf([...this.#open.keys()], BATCH)) {
      for (const item of await this.#options.store.getMany(pks)) {
        const isOver = isTerminal(item.status);
        const hasFailed = failures && FAILED.includes(item.status) && this.#open.get(item.pk) !== attemptOf(item);
        if (!isOver && !hasFailed) continue;
        if (signal.aborted || !(await listener(item))) return;
        if (isOver) this.#open.delete(item.pk);
        else this.#open.set(item.pk, attemptOf(item));
      }
    }
  }

  #save(at: EpochMs): void {
    this.#at = at;
    if (!this.#unsaved) return;
    this.#options.memory.save({ at, from: this.#from, told: [...this.#told] });
    this.#unsaved = false;
  }
}

const FAILED: readonly string[] = ['failed', 'deferred'];
const attemptOf = ({ gen, status, attempts }: EventItem): string => `${gen}.${status}.${attempts}`;

/** The place of a follower in a file, written whole: a crash leaves the old one. */
export function cursorFile(
  environment: string,
  name: string,
  directory = join(HOLDFAST_DIRECTORY, 'cursors'),
): PlaceMemory {
  if (!/^[\w-]{1,40}$/.test(name))
    throw usageError(`--name: "${name.slice(0, 60)}"`, '1 to 40 letters, digits, hyphens', 'e.g. --name tail');
  const path = join(directory, `${environment}-${name}.json`);
  return {
    load() {
      try {
        const place = JSON.parse(readFileSync(path, 'utf8')) as Place;
        return typeof place.at === 'number' && Array.isArray(place.told) ? place : undefined;
      } catch {
        return undefined;
      }
    },
    save(place) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, JSON.stringify(place));
      renameSync(`${path}.new`, path);
    },
  };
}
