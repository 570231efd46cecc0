/**
 * The sweeper's way to fresh events. It reads the `timeline` a grace behind the clock, when nearly all of them are final,
 * and watches those that are not, before the cursor moves past them. Holds the half of I8 that an insert without a watch
 * leaves open; test/proof/model/arrivals-model.ts has the order of its steps.
 */

import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { ControlStore, EventStore, Page, TimelineEntry } from '#core/inbound/ports.ts';
import {
  ARRIVALS_CONTROL,
  type ArrivalCursors,
  decodeArrivals,
  type SECOND_LOOK_CONTROL,
} from '#core/inbound/protocol/arrivals.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { CALLS_AT_ONCE, groupsOf } from '#core/side-by-side.ts';
import { HOUR_MS, toHour, toStamp } from '#core/time.ts';

/** Where the look at a source begins that was never looked at. */
const FIRST_LOOK_MS = 24 * HOUR_MS;
/** How far back a run looks that cannot read the cursors; it saves none. */
const BLIND_LOOK_MS = HOUR_MS / 4;
const PAGE = 1_000;
const READ_AT_ONCE = 100;

export interface ArrivalsRun {
  readonly sources: readonly SourceId[];
  /** Arrivals up to here are old enough: their requests are over and the index shows them. */
  readonly upTo: EpochMs;
  readonly until: EpochMs;
  readonly now: () => EpochMs;
  /** False: nothing arrived in the hour of `at`. */
  readonly mayHave: (source: SourceId, at: EpochMs) => Promise<boolean>;
  /** Sees to it that open events are watched. False: one of them could not be, so the cursor must not pass it. */
  readonly cover: (items: readonly EventItem[], source: SourceId) => Promise<boolean>;
  /** Runs a call of this source; undefined when a dependency failed. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T | undefined>;
}

type Store = Pick<EventStore, 'timeline' | 'getMany'>;

interface Place {
  readonly source: SourceId;
  /** Timeline position: everything before it was read in this run or an earlier one. */
  readonly at: string;
  /** The cursor, once saved; behind `at` where something could not be covered. */
  readonly passed: EpochMs;
  readonly stuck: boolean;
  /** Arrivals were read since the cursors were saved. */
  readonly unsaved: boolean;
  readonly done: boolean;
}

/** Goes through the sources in turn, a page each; answers how far it came, by source. `name`: which of the two cursors. */
export async function sweepArrivals(
  run: ArrivalsRun,
  store: Store,
  control: Pick<ControlStore, 'read' | 'write'>,
  name: typeof ARRIVALS_CONTROL | typeof SECOND_LOOK_CONTROL = ARRIVALS_CONTROL,
): Promise<ArrivalCursors> {
  const read = await run.guard(async () => ({ stored: await control.read(name) }));
  const saved = decodeArrivals(read?.stored?.value);
  let version = read?.stored?.version ?? 0;
  let mayBeSaved = read !== undefined;
  const blind = mayBeSaved ? undefined : run.upTo - BLIND_LOOK_MS;
  let places: readonly Place[] = run.sources.map(source => firstPlace(source, saved[source] ?? blind, run.upTo));
  let last = saved;
  while (places.some(place => !place.done) && run.now() < run.until) {
    places = await nextPlaces(places, run, store);
    if (!mayBeSaved || !places.some(place => isWorthSaving(place, last[place.source]))) continue;
    last = { ...last, ...cursorsOf(places) };
    const written = await run.guard(() => control.write(name, JSON.stringify(last), version));
    // Refused: another run is at work, and its cursors are as good.
    if (written === false) break;
    // Nobody knows whether it is saved: what is read now is read again by the next run.
    mayBeSaved = written === true;
    version += 1;
    places = places.map(place => ({ ...place, unsaved: false }));
  }
  return cursorsOf(places);
}

function firstPlace(source: SourceId, cursor: EpochMs | undefined, upTo: EpochMs): Place {
  const passed = cursor ?? Math.max(0, upTo - FIRST_LOOK_MS);
  return { source, at: toStamp(passed), passed, stuck: false, unsaved: false, done: passed >= upTo };
}

/** A page of each place that is not done. Pages are read side by side, and covered one after the other. */
async function nextPlaces(places: readonly Place[], run: ArrivalsRun, store: Store): Promise<readonly Place[]> {
  const next: Place[] = [];
  for (const some of groupsOf(places, CALLS_AT_ONCE)) {
    const isOpen = (place: Place): boolean => !place.done && run.now() < run.until;
    const reads = await Promise.all(
      some.map(async place => ({
        place,
        page: isOpen(place) ? ((await run.guard(() => readPage(place, run, store))) ?? ('failed' as const)) : undefined,
      })),
    );
    for (const { place, page } of reads) {
      if (page === undefined || !isOpen(place)) next.push(place);
      else if (page === 'failed') next.push({ ...place, done: true });
      else next.push((await run.guard(() => pass(place, page, run, store))) ?? { ...place, done: true });
    }
  }
  return next;
}

/** Where the hour ends that a place is in. */
function endOf({ at }: Place, { upTo }: ArrivalsRun): EpochMs {
  const hour = Number(at.slice(0, 13));
  return Math.min(upTo, hour - (hour % HOUR_MS) + HOUR_MS);
}

async function readPage(place: Place, run: ArrivalsRun, store: Store): Promise<Page<TimelineEntry>> {
  const { source, at } = place;
  const from = Number(at.slice(0, 13));
  if (!(await run.mayHave(source, from))) return { items: [] };
  return store.timeline(`${source}#${toHour(from)}`, {
    from: at,
    to: toStamp(endOf(place, run)),
    newestFirst: false,
    limit: PAGE,
  });
}

/** Covers what is on the page and passes it; a place at the end of its hour moves on to the next. */
async function pass(place: Place, page: Page<TimelineEntry>, run: ArrivalsRun, store: Store): Promise<Place> {
  const { source, at } = place;
  const end = endOf(place, run);
  const entries = page.items.filter(entry => entry.timelineAt > at);
  const covered = await coverAll(entries, source, run, store);
  const stuck = place.stuck || !covered;
  const last = page.cursor === undefined ? undefined : page.items.at(-1)?.timelineAt;
  const reached = last === undefined ? end : Number(last.slice(0, 13));
  return {
    source,
    at: last ?? toStamp(end),
    passed: stuck ? place.passed : reached,
    stuck,
    unsaved: place.unsaved || (entries.length > 0 && !stuck),
    done: last === undefined && end >= run.upTo,
  };
}

async function coverAll(
  entries: readonly TimelineEntry[],
  source: SourceId,
  run: ArrivalsRun,
  store: Pick<EventStore, 'getMany'>,
): Promise<boolean> {
  const groups = groupsOf(entries, READ_AT_ONCE);
  const read = await Promise.all(groups.map(group => store.getMany(group.map(entry => entry.pk))));
  return run.cover(read.flat(), source);
}

function cursorsOf(places: readonly Place[]): ArrivalCursors {
  return Object.fromEntries(places.map(({ source, passed }) => [source, passed])) as ArrivalCursors;
}

/** An idle source is read again from the same place while that is one query, so that it costs no write a minute. */
function isWorthSaving({ passed, unsaved }: Place, saved: EpochMs | undefined): boolean {
  return unsaved || saved === undefined || Math.floor(saved / HOUR_MS) !== Math.floor(passed / HOUR_MS);
}
