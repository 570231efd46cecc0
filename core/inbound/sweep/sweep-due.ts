/** What is due by the watch: for each source and shard, oldest first, and what a pause that is over left parked. */
import { given } from '#core/given.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { EventStore, Page } from '#core/inbound/ports.ts';
import { type EventItem, WATCH_SHARDS } from '#core/inbound/protocol/event-item.ts';
import { FAR } from '#core/inbound/protocol/event-writes.ts';
import { LONGEST_PARK_MS } from '#core/retry/breaker.ts';
import { CALLS_AT_ONCE, groupsOf } from '#core/side-by-side.ts';
import type { SweepRun } from './sweep-run.ts';

const AT_ONCE = 25;
/** What an open breaker parks is due within this. */
const BREAKER_PARK_MS = LONGEST_PARK_MS + 5_000;

type WatchEntry = Awaited<ReturnType<EventStore['watchDue']>>['items'][number];

/** A part of the watch of one shard; `cursor`: where its next page begins. */
interface Range {
  readonly source: SourceId;
  readonly shard: string;
  readonly from?: EpochMs;
  readonly before: EpochMs;
  readonly cursor?: string;
}

/**
 * Sources in turn, a page each, so that one source's flood cannot starve the others. Parts of the watch with nothing in them are
 * not asked: one look at the whole index says which these are.
 */
export async function sweepDue(run: SweepRun): Promise<void> {
  const occupied = await run.guard(() => run.ports.store.occupied('watch'));
  const parts = occupied && new Set([...occupied].map(partOf));
  let open = run.sources
    .flatMap(source => rangesOf(source, run))
    .filter(({ shard }) => parts === undefined || parts.has(shard));
  while (open.length > 0 && !run.isOver) {
    const next: Range[] = [];
    // Pages are read side by side: nearly all are empty. What is due is carried out page by page, at the run's own rate.
    for (const some of groupsOf(open, CALLS_AT_ONCE)) {
      if (run.isOver) return;
      const pages = await Promise.all(
        some.map(async range => ({ range, page: await run.guard(() => readPage(range, run)) })),
      );
      for (const { range, page } of pages) {
        if (page === undefined) continue;
        const more = await run.guard(() => sweepPage(range, page, run));
        if (more) next.push(more);
      }
    }
    open = next;
  }
}

function readPage({ shard, from, before, cursor }: Range, { ports }: SweepRun): Promise<Page<WatchEntry>> {
  return ports.store.watchDue(shard, { before, ...given({ from }) }, cursor);
}

/** The part of a source's watch that a key belongs to: a source that is spread has several keys in each (spread.ts). */
function partOf(key: string): string {
  const at = key.lastIndexOf('#');
  return `${key.slice(0, at)}#${Number(key.slice(at + 1)) % WATCH_SHARDS}`;
}

function rangesOf(source: SourceId, run: SweepRun): Range[] {
  const shards = Array.from({ length: WATCH_SHARDS }, (_, n) => `${source}#${n}`);
  const due = shards.map(shard => ({ source, shard, before: run.startedAt }));
  // The oldest paused event of a paused source is looked at for its age; of the others, all are brought back.
  // Not while nobody knows which are paused: all of them would be sent, and parked again.
  if (run.pauses === undefined) return due;
  const far = shards.map(shard => ({ source, shard, from: FAR, before: FAR + 1 }));
  return [...due, ...far];
}

/** Answers the rest of the range; undefined: it is through, or for another run. */
async function sweepPage(range: Range, page: Page<WatchEntry>, run: SweepRun): Promise<Range | undefined> {
  const { source, shard, from, before } = range;
  const { store } = run.ports;
  const parkedFar = from === FAR;
  const paused = run.isPaused(source);
  for (const some of groupsOf(page.items, AT_ONCE)) {
    if (run.isOver) return undefined;
    const items = await store.getMany(some.map(it => it.pk));
    // The index lags: what is no longer due by the item itself is left alone.
    const due = items.filter(it => it.watchAt !== undefined && (parkedFar ? it.watchAt === FAR : it.watchAt <= before));
    for (const item of due) run.ages.note(item, run.now);
    if (parkedFar && paused) {
      if (due.length > 0) notePause(source, run);
      return undefined;
    }
    run.breakerOpen ||= due.some(isParkedByBreaker) && (await breakerParks(shard, run));
    await Promise.all(due.map(item => run.sweepOne(item, paused)));
    await run.pace();
  }
  return page.cursor === undefined ? undefined : { ...range, cursor: page.cursor };
}

/**
 * Whether a breaker is open now: it has just parked events of this shard. Asked only where parked ones come back, and
 * of the records themselves, because a breaker lives in the memory of one processor.
 */
async function breakerParks(shard: string, run: SweepRun): Promise<boolean> {
  const { store } = run.ports;
  const { now } = run;
  const soon = await store.watchDue(shard, { from: now + 1, before: now + BREAKER_PARK_MS });
  const items = await store.getMany(soon.items.slice(0, AT_ONCE).map(it => it.pk));
  return items.some(isParkedByBreaker);
}

function isParkedByBreaker(item: EventItem): boolean {
  return item.status === 'deferred' && item.parked === true && item.waitsFor !== undefined;
}

function notePause(source: SourceId, run: SweepRun): void {
  run.ages.notePause(run.now - (run.pauses?.[source]?.since ?? run.now));
}
