/**
 * Sees to it that what arrived and is not finished is watched, before a cursor passes it. sweep-arrivals.ts reads the
 * arrivals; this is what becomes of each.
 */
import { splitEventPk, toEventId } from '#core/glossary.ts';
import { SECOND_LOOK_CONTROL } from '#core/inbound/protocol/arrivals.ts';
import { type EventItem, storedStatus } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';
import { CALLS_AT_ONCE, groupsOf } from '#core/side-by-side.ts';
import { failedAt } from './judge-handlers.ts';
import { type ArrivalsRun, sweepArrivals } from './sweep-arrivals.ts';
import type { SweepRun } from './sweep-run.ts';
import type { Handler } from './tell-concerns.ts';

/** Share of a run that arrivals may take where many wait, so that what is watched gets its turn. */
const ARRIVALS_SHARE = 0.5;
/**
 * Distance of the second look, in first ones (10 minutes more in production): an ingest clock that is late by less, or a
 * sweeper's that is early, cannot hide an arrival behind the first cursor.
 */
const SECOND_LOOK = 5;
export const secondLookMs = (timings: Timings): number => SECOND_LOOK * timings.firstWatchMs;
/** Two clocks and a claim between a read and a write: enough for any honest race. */
const MAX_ROUNDS = 4;

/** Looks at what arrived since the last run, and once more at what arrived minutes earlier. Answers whose handlers failed. */
export async function coverArrivals(run: SweepRun): Promise<readonly Handler[]> {
  const { store, control, clock } = run.ports;
  const failing = new Map<string, Handler>();
  const upTo = run.startedAt - run.rules.timings.firstWatchMs;
  const first: ArrivalsRun = {
    sources: run.sources,
    upTo,
    until: run.startedAt + (run.until - run.startedAt) * ARRIVALS_SHARE,
    now: () => clock.now(),
    mayHave: (source, at) => run.activity(source, at),
    cover: (items, source) => {
      for (const item of items) noteFailure(item, failing);
      return cover(items, run.isPaused(source), run);
    },
    guard: work => run.guard(work),
  };
  const reached = await run.guard(() => sweepArrivals(first, store, control));
  const late = { ...first, upTo: upTo - secondLookMs(run.rules.timings) };
  await run.guard(() => sweepArrivals(late, store, control, SECOND_LOOK_CONTROL));
  // What was not looked at may be unfinished for as long.
  const behind = Math.min(upTo, ...Object.values(reached ?? {}));
  if (behind < upTo) run.ages.noteUnfinished(clock.now() - behind);
  return [...failing.values()];
}

async function cover(items: readonly EventItem[], paused: boolean, run: SweepRun): Promise<boolean> {
  const open = items.filter(item => !isCovered(item));
  let covered = true;
  for (const some of groupsOf(open, CALLS_AT_ONCE)) {
    const done = await Promise.all(some.map(item => coverOne(item, paused, run)));
    covered &&= done.every(it => it);
    await run.pace();
  }
  return covered;
}

/** What changed since it was read is looked at again: it may be claimed now, and is watched no more than before. */
async function coverOne(read: EventItem, paused: boolean, run: SweepRun): Promise<boolean> {
  run.ages.note(read, run.now);
  let item = read;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (isCovered(item)) return true;
    const result = await run.sweepOne(item, paused, run.takesAsSent);
    if (result?.written === undefined) return false;
    if (result.written.kind === 'applied' || result.written.item === undefined) return true;
    item = result.written.item;
  }
  return false;
}

/** The cursor may pass it: nothing is owed for it, or the watch has it. */
function isCovered(item: EventItem): boolean {
  return item.watchAt !== undefined || isTerminal(storedStatus(item));
}

function noteFailure(item: EventItem, failing: Map<string, Handler>): void {
  if (failedAt(item) === undefined) return;
  const { sourceId: source } = splitEventPk(item.pk);
  failing.set(`${source} ${item.eventType}`, { source, eventType: item.eventType, eventId: toEventId(item.pk) });
}
