/**
 * The sweeper's way to fresh events. It reads the `timeline` a grace behind the clock, when nearly all of them are final,
 * and watches those that are not, before the cursor moves past them. Holds the half of I8 that an insert without a watch
 * leaves open; test/proof/model/arrivals-model.ts has the order of its steps.
 */

import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { ControlStore, EventStore, TimelineEntry } from '#core/inbound/ports.ts';
import {
  ARRIVALS_CONTROL,
  type ArrivalCursors,
  decodeArrivals,
  type SECOND_LOOK_CONTROL,
} from '#core/inbound/protocol/arrivals.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { toHour, toStamp } from '#core/time.ts';

const HOUR_MS = 3_600_000;
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
  /** Sees to it that open events are watched. False: one of them could not be, so the cursor must not pass it. */
  readonly cover: (items: readonly EventItem[], source: SourceId) => Promise<boolean>;
  /** Runs a call of this source; undefined when a dependency failed. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T | undefined>;
}

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
  store: Pick<EventStore, 'timeline' | 'getMany'>,
  control: Pick<ControlStore, 'read' | 'write'>,
  name: typeof ARRIVALS_CONTROL | typeof SECOND_LOOK_CONTROL = ARRIVALS_CONTROL,
): Promise<ArrivalCursors> {
  const read = await run.guard(async () => ({ stored: await control.read(name) }));
  const saved = decodeArrivals(read?.stored?.value);
  let version = read?.stored?.version ?? 0;
  let mayBeSaved = read !== undefined;
  const blind = mayBeSaved ? undefined : run.upTo - BLIND_LOOK_MS;
  let places = run.sources.map(source => firstPlace(source, saved[source] ?? blind, run.upTo));
  let last = saved;
  while (places.some(place => !place.done) && run.now() < run.until) {
    const next: Place[] = [];
    for (const place of places) {
      const open = !place.done && run.now() < run.until;
      next.push(open ? ((await run.guard(() => readPage(place, run, store))) ?? { ...place, done: true }) : place);
    }
    places = next;
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

/** One page of the hour a place is in; a place at the end of its hour moves on to the next. */
async function readPage(
  place: Place,
  run: ArrivalsRun,
  store: Pick<EventStore, 'timeline' | 'getMany'>,
): Promise<Place> {
  const { source, at } = place;
  const hour = Number(at.slice(0, 13));
  const end = Math.min(run.upTo, hour - (hour % HOUR_MS) + HOUR_MS);
  const page = await store.timeline(`${source}#${toHour(hour)}`, {
    from: at,
    to: toStamp(end),
    newestFirst: false,
    limit: PAGE,
  });
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
  const chunks: TimelineEntry[][] = [];
  for (let from = 0; from < entries.length; from += READ_AT_ONCE) chunks.push(entries.slice(from, from + READ_AT_ONCE));
  const read = await Promise.all(chunks.map(chunk => store.getMany(chunk.map(entry => entry.pk))));
  return run.cover(read.flat(), source);
}

function cursorsOf(places: readonly Place[]): ArrivalCursors {
  return Object.fromEntries(places.map(({ source, passed }) => [source, passed])) as ArrivalCursors;
}

/** An idle source is read again from the same place while that is one query, so that it costs no write a minute. */
function isWorthSaving({ passed, unsaved }: Place, saved: EpochMs | undefined): boolean {
  return unsaved || saved === undefined || toHour(saved) !== toHour(passed);
}
