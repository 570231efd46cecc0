/** What each source received in the last hour, minute by minute, and how many of its events died. */
import { type EpochMs, type SourceId, splitEventPk } from '#core/glossary.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import type { Operator } from '#operator/operator.ts';
import { type SharedReads, sharedReads } from './shared-reads.ts';

const TRAFFIC_MINUTES = 60;
const LAST_EVENT_MS = DAY_MS;
/** Of deaths, behind the first page of each source, of all sources together. */
const MORE_PAGES = 4;

interface Traffic {
  readonly source: SourceId;
  /** Oldest minute first. */
  readonly accepted: readonly number[];
  readonly died: readonly number[];
  /** Deaths that are open, however old. */
  readonly open: number;
  /** More died, and are open, than were read. */
  readonly more: boolean;
  /** The last event of a day; undefined where there was none. */
  readonly lastAt: EpochMs | undefined;
}

export interface AllTraffic {
  readonly sources: readonly Traffic[];
  /** More arrived than are counted here: only the newest, all since then. */
  readonly cappedAt?: EpochMs;
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
  const found = new Map(
    operator.sourceIds.map(id => [id, { accepted: empty(), died: empty(), open: 0, more: false, lastAt: 0 }]),
  );
  const minuteOf = (at: EpochMs): number => Math.min(TRAFFIC_MINUTES - 1, Math.floor((at - since) / MINUTE_MS));
  const { entries, finished, wholeSince } = await lastHour();
  for (const { pk, timelineAt } of entries) {
    const source = found.get(splitEventPk(pk).sourceId);
    const at = Number(timelineAt.slice(0, 13));
    if (source === undefined || at < since) continue;
    source.accepted[minuteOf(at)]! += 1;
    source.lastAt = Math.max(source.lastAt, at);
  }
  const budget = { pages: MORE_PAGES };
  await Promise.all(
    [...found].map(async ([id, source]) => {
      const { deaths, more } = await readDeaths(deathsPage, id, { since, budget });
      for (const at of deaths) if (at >= since) source.died[minuteOf(at)]! += 1;
      Object.assign(source, { open: deaths.length, more });
      if (source.lastAt === 0) source.lastAt = await lastOf(operator, id, now);
    }),
  );
  return {
    sources: [...found].map(([source, it]) => ({ ...it, source, lastAt: it.lastAt === 0 ? undefined : it.lastAt })),
    ...(finished ? {} : { cappedAt: wholeSince }),
  };
}

/** Newest deaths first: a page, and on while they are of the time since then. */
async function readDeaths(
  deathsPage: SharedReads['deathsPage'],
  source: SourceId,
  { since, budget }: { readonly since: EpochMs; readonly budget: { pages: number } },
): Promise<{ readonly deaths: readonly EpochMs[]; readonly more: boolean }> {
  const deaths: EpochMs[] = [];
  let cursor: string | undefined;
  do {
    const page = await deathsPage(source, cursor);
    deaths.push(...page.items.map(({ attentionAt }) => Number(attentionAt.split('#')[0])));
    cursor = page.cursor;
  } while (cursor !== undefined && (deaths.at(-1) ?? 0) >= since && budget.pages-- > 0);
  return { deaths, more: cursor !== undefined };
}

async function lastOf(operator: Operator, source: SourceId, now: EpochMs): Promise<EpochMs> {
  const { store } = await operator.gateway();
  const window = { sources: [source], since: now - LAST_EVENT_MS, until: now + 1 };
  const [entry] = await new TimelineReader(window, 'newest', undefined, store).next(1, () => true);
  return entry === undefined ? 0 : Number(entry.timelineAt.slice(0, 13));
}
