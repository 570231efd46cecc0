/** What each source received in the last hour, minute by minute, and how many of its events died. */
import { type EpochMs, type SourceId, splitEventPk } from '#core/glossary.ts';
import type { TimelineEntry } from '#core/inbound/ports.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { Operator } from '#operator/operator.ts';

const TRAFFIC_MINUTES = 60;
const MOST_ENTRIES = 20_000;
const LAST_EVENT_MS = DAY_MS;

interface Traffic {
  readonly source: SourceId;
  /** Oldest minute first. */
  readonly accepted: readonly number[];
  readonly died: readonly number[];
  /** The last event of a day; undefined where there was none. */
  readonly lastAt: EpochMs | undefined;
}

/** What was received since a moment, the newest first. */
export interface Received {
  readonly entries: readonly TimelineEntry[];
  /** False: more arrived than were read. */
  readonly finished: boolean;
}

export interface AllTraffic {
  readonly sources: readonly Traffic[];
  /** More arrived than are counted here. */
  readonly capped: boolean;
}

/** `lastHour`: what was received, where it is read already. */
export async function readTraffic(
  operator: Operator,
  lastHour = (): Promise<Received> => readReceived(operator, HOUR_MS),
): Promise<AllTraffic> {
  const now = operator.clock.now();
  const since = now - TRAFFIC_MINUTES * MINUTE_MS;
  const empty = (): number[] => Array.from({ length: TRAFFIC_MINUTES }, () => 0);
  const found = new Map(operator.sourceIds.map(id => [id, { accepted: empty(), died: empty(), lastAt: 0 }]));
  const minuteOf = (at: EpochMs): number => Math.min(TRAFFIC_MINUTES - 1, Math.floor((at - since) / MINUTE_MS));
  const { entries, finished } = await lastHour();
  for (const { pk, timelineAt } of entries) {
    const source = found.get(splitEventPk(pk).sourceId);
    const at = Number(timelineAt.slice(0, 13));
    if (source === undefined || at < since) continue;
    source.accepted[minuteOf(at)]! += 1;
    source.lastAt = Math.max(source.lastAt, at);
  }
  await Promise.all(
    [...found].map(async ([id, source]) => {
      for (const at of await deathsSince(operator, id, since)) source.died[minuteOf(at)]! += 1;
      if (source.lastAt === 0) source.lastAt = await lastOf(operator, id, now);
    }),
  );
  return {
    sources: [...found].map(([source, it]) => ({ ...it, source, lastAt: it.lastAt === 0 ? undefined : it.lastAt })),
    capped: !finished,
  };
}

/** Of the last `ms`; of more than about `most` the newest. */
export async function readReceived(operator: Operator, ms: number, most = MOST_ENTRIES): Promise<Received> {
  const { store } = await operator.gateway();
  const now = operator.clock.now();
  const window = { sources: operator.sourceIds, since: now - ms, until: now + 1 };
  const entries: TimelineEntry[] = [];
  let reader = new TimelineReader(window, 'newest', undefined, store);
  while (!reader.finished && entries.length < most) {
    const more = await reader.next(500, () => true);
    entries.push(...more);
    if (more.length < 500 && !reader.finished) reader = new TimelineReader(window, 'newest', reader.position, store);
  }
  return { entries, finished: reader.finished };
}

async function deathsSince(operator: Operator, source: SourceId, since: EpochMs): Promise<readonly EpochMs[]> {
  const { store } = await operator.gateway();
  const deaths: EpochMs[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.attention(source, cursor);
    const times = page.items.map(({ attentionAt }) => Number(attentionAt.split('#')[0]));
    deaths.push(...times.filter(at => at >= since));
    // Newest deaths first.
    cursor = times.some(at => at < since) ? undefined : page.cursor;
  } while (cursor !== undefined);
  return deaths;
}

async function lastOf(operator: Operator, source: SourceId, now: EpochMs): Promise<EpochMs> {
  const { store } = await operator.gateway();
  const window = { sources: [source], since: now - LAST_EVENT_MS, until: now + 1 };
  const [entry] = await new TimelineReader(window, 'newest', undefined, store).next(1, () => true);
  return entry === undefined ? 0 : Number(entry.timelineAt.slice(0, 13));
}
