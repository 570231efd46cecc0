/** What each source received in the last hour, minute by minute, and how many of its events died. */
import { type EpochMs, type SourceId, splitEventPk } from '#core/glossary.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import type { Operator } from '#operator/operator.ts';
import { type SharedReads, sharedReads } from './shared-reads.ts';

const TRAFFIC_MINUTES = 60;
const LAST_EVENT_MS = DAY_MS;

interface Traffic {
  readonly source: SourceId;
  /** Oldest minute first. */
  readonly accepted: readonly number[];
  readonly died: readonly number[];
  /** The last event of a day; undefined where there was none. */
  readonly lastAt: EpochMs | undefined;
}

export interface AllTraffic {
  readonly sources: readonly Traffic[];
  /** More arrived than are counted here. */
  readonly capped: boolean;
}

/** `already`: what a screen reads for its other parts, too. */
export async function readTraffic(
  operator: Operator,
  already?: Pick<SharedReads, 'lastHour' | 'deathsPage'>,
): Promise<AllTraffic> {
  const { lastHour, deathsPage } = already ?? (await sharedReads(operator));
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
      for (const at of await deathsSince(deathsPage, id, since)) source.died[minuteOf(at)]! += 1;
      if (source.lastAt === 0) source.lastAt = await lastOf(operator, id, now);
    }),
  );
  return {
    sources: [...found].map(([source, it]) => ({ ...it, source, lastAt: it.lastAt === 0 ? undefined : it.lastAt })),
    capped: !finished,
  };
}

async function deathsSince(
  deathsPage: SharedReads['deathsPage'],
  source: SourceId,
  since: EpochMs,
): Promise<readonly EpochMs[]> {
  const deaths: EpochMs[] = [];
  let cursor: string | undefined;
  do {
    const page = await deathsPage(source, cursor);
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
