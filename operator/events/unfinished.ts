/** How many events are not finished, by bounded reads: those the sweeper watches, and those it has not come to yet. */

import { type EpochMs, type EventPk, splitEventPk } from '#core/glossary.ts';
import { readArrivals } from '#core/inbound/protocol/arrivals.ts';
import { type EventItem, WATCH_SHARDS } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { FAR } from '#core/inbound/protocol/event-writes.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { DAY_MS } from '#core/time.ts';
import type { Gateway } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { type Received, timeOf } from './shared-reads.ts';

const WATCHED_LIMIT = 10_000;
/** The oldest is looked for among this number of watched events. */
const OPEN_LIMIT = 500;
/** Arrivals of one source that the sweeper has not come to; the newest of more. */
const FRESH_LIMIT = 2_500;
/** Records that are read of all arrivals, evenly spread: eight read units, for a screen that is open asks again and again. */
const SAMPLE = 16;
/** As far as the sweeper itself looks at a source that it was never at. */
const FIRST_LOOK_MS = DAY_MS;
const READ_AT_ONCE = 100;

/** A handler whose breaker holds events back. A breaker is in the memory of a processor: its events tell of it. */
export interface OpenBreaker {
  readonly handler: string;
  readonly waiting: number;
  /** `waiting` is a share of a sample. */
  readonly estimated: boolean;
  /** When the first of those that wait was held back first; of a sample, the first in it. */
  readonly since: EpochMs;
  /** When the first of them is tried again. */
  readonly nextTryAt: EpochMs;
}

export interface Unfinished {
  readonly count: number;
  /** There are more: the reads were cut off. */
  readonly capped: boolean;
  /** Part of the count is a share of a sample. */
  readonly estimated: boolean;
  readonly oldestAt: EpochMs | undefined;
  /** Each of the watched events is tried again, or looked at by the sweeper, by then; those of paused sources are not. */
  readonly lastDueAt: EpochMs | undefined;
  /** The one with the most events first. */
  readonly breakers: readonly OpenBreaker[];
}

/** `lastHour`: what was received, which who shows this has read already. */
export async function readUnfinished(operator: Operator, lastHour: () => Promise<Received>): Promise<Unfinished> {
  const gateway = await operator.gateway();
  const [watched, fresh] = await Promise.all([readWatched(operator, gateway), readFresh(operator, gateway, lastHour)]);
  const times = [watched.oldestAt, fresh.oldestAt].filter(at => at !== undefined);
  return {
    count: watched.count + fresh.count,
    capped: watched.capped || fresh.capped,
    estimated: fresh.estimated,
    oldestAt: times.length === 0 ? undefined : Math.min(...times),
    lastDueAt: watched.lastDueAt,
    breakers: watched.breakers,
  };
}

/** Events the `watch` index names. The oldest of those it looks at first. */
async function readWatched(operator: Operator, { store }: Gateway): Promise<Unfinished> {
  const pks: EventPk[] = [];
  let lastDueAt: EpochMs | undefined;
  let capped = false;
  const there = await store.occupied('watch');
  const shards = operator.sourceIds.flatMap(source => Array.from({ length: WATCH_SHARDS }, (_, n) => `${source}#${n}`));
  for (const shard of shards.filter(it => there?.has(it) ?? true)) {
    let cursor: string | undefined;
    do {
      const page = await store.watchDue(shard, { before: FAR + 1 }, cursor);
      pks.push(...page.items.map(it => it.pk));
      for (const { watchAt } of page.items) if (watchAt !== FAR) lastDueAt = Math.max(lastDueAt ?? 0, watchAt);
      cursor = page.cursor;
    } while (cursor !== undefined && pks.length < WATCHED_LIMIT);
    capped ||= cursor !== undefined;
  }
  const step = Math.max(1, Math.ceil(pks.length / OPEN_LIMIT));
  const items = await readItems(pks.slice(0, OPEN_LIMIT), store);
  const spread = step === 1 ? [] : pks.filter((_, n) => n % step === 0);
  const breakers = breakersOf(step === 1 ? items : await readItems(spread, store), step);
  return { count: pks.length, capped, estimated: false, oldestAt: oldestOf(items.filter(isOpen)), lastDueAt, breakers };
}

/** What arrived since the sweeper looked is not in that index: nearly all of it ends before it ever is. */
async function readFresh(
  operator: Operator,
  { store, control }: Gateway,
  lastHour: () => Promise<Received>,
): Promise<Unfinished> {
  const [now, cursors, hour] = [operator.clock.now(), await readArrivals(control), await lastHour()];
  const lists = await Promise.all(
    operator.sourceIds.map(async source => {
      const since = cursors[source] ?? now - FIRST_LOOK_MS;
      // Of a very busy hour the newest are what is not finished, if anything is.
      if (since >= hour.wholeSince || !hour.finished) {
        const mine = hour.entries.filter(it => splitEventPk(it.pk).sourceId === source && timeOf(it) >= since);
        return { entries: mine, capped: since < hour.wholeSince };
      }
      const reader = new TimelineReader({ sources: [source], since, until: now + 1 }, 'newest', undefined, store);
      const entries = await reader.next(FRESH_LIMIT, () => true);
      return { entries, capped: !reader.finished };
    }),
  );
  const arrivals = lists.flatMap(it => it.entries);
  const step = Math.ceil(arrivals.length / SAMPLE);
  const sample = arrivals.filter((_, n) => n % step === 0);
  // Indexes lag as well: half the price for the same answer a moment later.
  const items = await store.getMany(
    sample.map(it => it.pk),
    'eventual',
  );
  const open = items.filter(item => isOpen(item) && item.watchAt === undefined);
  return {
    count: Math.round((open.length / Math.max(1, sample.length)) * arrivals.length),
    capped: lists.some(it => it.capped),
    estimated: step > 1,
    oldestAt: oldestOf(open),
    lastDueAt: undefined,
    breakers: [],
  };
}

/** Each event that was read counts as `step` of them. */
function breakersOf(items: readonly EventItem[], step: number): readonly OpenBreaker[] {
  const found = new Map<string, OpenBreaker>();
  for (const item of items) {
    if (item.waitsFor === undefined || item.status === 'processing') continue;
    const { waitsFor: handler, nextAttemptAt, unreadySince: since = item.updatedAt } = item;
    const first = { handler, waiting: 0, estimated: step > 1, since, nextTryAt: nextAttemptAt };
    const before = found.get(handler) ?? first;
    found.set(handler, {
      ...before,
      waiting: before.waiting + step,
      since: Math.min(before.since, since),
      nextTryAt: Math.min(before.nextTryAt, nextAttemptAt),
    });
  }
  return [...found.values()].sort((a, b) => b.waiting - a.waiting);
}

async function readItems(pks: readonly EventPk[], store: Gateway['store']): Promise<readonly EventItem[]> {
  const chunks = Array.from({ length: Math.ceil(pks.length / READ_AT_ONCE) }, (_, n) =>
    store.getMany(pks.slice(n * READ_AT_ONCE, (n + 1) * READ_AT_ONCE)),
  );
  return (await Promise.all(chunks)).flat();
}

function isOpen(item: EventItem): boolean {
  return !isTerminal(item.status);
}

function oldestOf(items: readonly EventItem[]): EpochMs | undefined {
  return items.length === 0 ? undefined : Math.min(...items.map(item => item.receivedAt));
}
