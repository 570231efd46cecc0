/** How many first attempts wait at one endpoint: counted up to ten thousand, above that estimated out of fifty short looks. */

import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { ControlItem, RowItem } from '#core/outbound/protocol/items.ts';
import { controlKey, liveRange } from '#core/outbound/protocol/keys.ts';

/** What somebody hears of. */
const BACKLOG_LEVELS = [10_000, 1_000_000] as const;

export interface Backlog {
  readonly waiting: number;
  /** False: estimated. Steady arrivals, and bursts that come again, within a third; one burst between two looks is not seen. */
  readonly exact: boolean;
}
export interface BacklogSizes {
  /** Counted one by one. */
  readonly exact: number;
  readonly page: number;
  readonly looks: number;
  /** Rows that one look should meet. */
  readonly rows: number;
}
const SIZES: BacklogSizes = { exact: BACKLOG_LEVELS[0], page: 1_000, looks: 50, rows: 100 };
const AT_ONCE = 10;
type Store = Pick<ItemStore, 'query'>;

export async function countBacklog(store: Store, ep: EndpointId, sizes: BacklogSizes = SIZES): Promise<Backlog> {
  // 1. One by one.
  let waiting = 0;
  let first: EpochMs | undefined;
  let last = 0;
  let cursor: string | undefined;
  do {
    const page = await store.query<RowItem>({ ...liveRange(ep), limit: sizes.page, ...given({ cursor }) });
    waiting += page.items.length;
    first ??= page.items[0]?.createdAt;
    last = page.items.at(-1)?.createdAt ?? last;
    cursor = page.cursor;
  } while (cursor !== undefined && waiting < sizes.exact);
  if (cursor === undefined) return { waiting, exact: true };
  // 2. The rest by its density, looked at in as many places as it takes.
  const [newest] = (await store.query<RowItem>({ ...liveRange(ep), newestFirst: true, limit: 1 })).items;
  const span = (newest?.createdAt ?? last) - last;
  const density = waiting / Math.max(1, last - (first ?? last));
  const width = Math.max(1, Math.min(span / sizes.looks, sizes.rows / density));
  let sum = 0;
  for (let look = 0; look < sizes.looks; look += AT_ONCE) {
    const starts = Array.from(
      { length: AT_ONCE },
      (_, n) => last + ((look + n + 0.5) * span) / sizes.looks - width / 2,
    );
    const rates = await Promise.all(
      starts.map(start => rateAt(store, ep, { start: Math.floor(start), width, ...sizes })),
    );
    sum += rates.reduce((all, rate) => all + rate, 0);
  }
  return { waiting: waiting + Math.round((sum / sizes.looks) * span), exact: false };
}

/** Rows a millisecond, from a place on. */
async function rateAt(
  store: Store,
  ep: EndpointId,
  { start, width, page }: { readonly start: EpochMs; readonly width: number; readonly page: number },
): Promise<number> {
  const found = await store.query<RowItem>({
    ...liveRange(ep, { from: start, to: start + Math.ceil(width) - 1 }),
    limit: page,
  });
  const end = found.cursor === undefined ? start + Math.ceil(width) : (found.items.at(-1)?.createdAt ?? start) + 1;
  return found.items.length / (end - start);
}

/** The highest level that it reached. */
export const levelOf = ({ waiting }: Backlog): number | undefined => BACKLOG_LEVELS.findLast(level => waiting >= level);

const TOLD_SECONDS = 2 * 3_600;
/** What the last audit found, where it was much: the health of the endpoint shows it. */
export const backlogKey = (ep: EndpointId) => controlKey(`backlog#${ep}`);
export const backlogItem = (backlog: Backlog, now: EpochMs): ControlItem => ({
  ...{ value: JSON.stringify(backlog), version: 1 },
  expiresAt: Math.floor(now / 1_000) + TOLD_SECONDS,
});
export function readBacklog(item: ControlItem | undefined, now: EpochMs): Backlog | undefined {
  return item === undefined || (item.expiresAt ?? 0) * 1_000 < now ? undefined : (JSON.parse(item.value) as Backlog);
}
