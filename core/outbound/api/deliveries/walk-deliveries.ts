/**
 * A walk over deliveries of one endpoint or of many, a page at a time. It goes by days, newest first, over the records
 * and the rows that have none yet; `pending` goes by the queues, what is due first; `dead` by the index of the dead, the
 * last one first. A page is empty only at the end, or where nothing that fits was found in time; of few endpoints it is
 * also full, or the last one.
 */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, KeyRange, Placed } from '#core/outbound/ports.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { RecordItem, RowItem } from '#core/outbound/protocol/items.ts';
import {
  type DeliveryId,
  dayOf,
  deadRange,
  deliveryOfRecord,
  liveRange,
  queueOf,
  recordKey,
  recordsRange,
} from '#core/outbound/protocol/keys.ts';
import { sideBySide } from '#core/side-by-side.ts';
import { DAY_MS } from '#core/time.ts';

export interface Found {
  readonly id: DeliveryId;
  /** Absent: it waits for its first attempt. */
  readonly record?: RecordItem | undefined;
  /** Of one that waits. */
  readonly type?: string | undefined;
}
/** Where the next page begins: behind `key` and, of those with that key, behind the endpoint `ep`. */
export interface WalkPlace {
  /** A time of the day that is read. */
  readonly at: EpochMs;
  readonly key?: string;
  readonly ep?: EndpointId;
}
export interface Walk {
  readonly endpoints: readonly EndpointId[];
  readonly status: string | undefined;
  readonly limit: number;
  /** The newest and the oldest of it. */
  readonly from: EpochMs;
  readonly oldest: EpochMs;
  readonly place: WalkPlace | undefined;
  readonly fits: (found: Found) => boolean;
  /** Whether there is time for another round. */
  readonly goesOn: () => boolean;
}

const startOfDay = (at: EpochMs): EpochMs => Math.floor(at / DAY_MS) * DAY_MS;

/** Items of one round, over all lists, once nothing was found in the rounds before. */
const MOST_ITEMS = 5_000;

/** A page that is not full looks on in so many lists, to the end where there are few: then it has no cursor. */
const MOST_LISTS = 200;

export async function walkDeliveries(
  store: Pick<ItemStore, 'query' | 'getMany'>,
  walk: Walk,
): Promise<{ readonly found: readonly Found[]; readonly next: WalkPlace | undefined }> {
  const { endpoints, status, limit, oldest, fits, goesOn } = walk;
  const way = status === 'dead' ? DEAD : status === 'pending' ? QUEUES : DAYS;
  let place: WalkPlace | undefined = walk.place ?? { at: walk.from };
  const found: Found[] = [];
  // A piece of each list: many endpoints fill a page together. Pieces grow where nothing fits.
  let piece = 1 + Math.min(limit, Math.max(4, Math.ceil((2 * limit) / endpoints.length)));
  const largest = Math.max(piece, Math.min(1_000, Math.ceil(MOST_ITEMS / endpoints.length)));
  for (let asked = 0; place !== undefined && endpoints.length > 0; asked += 2 * endpoints.length) {
    if (found.length === limit || (found.length > 0 && asked >= MOST_LISTS) || (asked > 0 && !goesOn())) break;
    // 1. A piece of each.
    const size = piece;
    piece = Math.min(largest, 4 * piece);
    const at: WalkPlace = place;
    const lists = await sideBySide(endpoints, ep => readPieces(store, way, { ep, place: at, piece: size }));
    // 2. One order, as far as no list was cut off.
    const inOrder = (a: string, b: string): boolean => (way.newestFirst ? a >= b : a <= b);
    const ends = lists.flatMap(({ cutAt }) => cutAt ?? []).toSorted();
    const end = way.newestFirst ? ends.at(-1) : ends[0];
    const sure = lists.flatMap(({ items }) => items).filter(({ key }) => end === undefined || inOrder(key, end));
    const merged = sure.toSorted((a, b) => byKey(a, b, way.newestFirst));
    // 3. Those that fit, until the page is full.
    const records = way === DAYS ? [] : await store.getMany(merged.map(({ id }) => recordKey(id)));
    let last: Listed | undefined;
    for (const [index, each] of merged.entries()) {
      if (found.length === limit) break;
      last = each;
      const one = way === DAYS ? each : { ...each, record: records[index] };
      const isStale = each.gen !== undefined && each.gen !== (one.record?.gen ?? 1);
      if (!isStale && fits(one)) found.push(one);
    }
    // 4. The rest of it, or the day before.
    const more = end !== undefined || (last !== undefined && last !== merged.at(-1));
    if (more && last !== undefined) place = { at: at.at, key: last.key, ep: last.id.ep };
    else if (way === DAYS && dayOf(at.at) > dayOf(oldest)) place = { at: startOfDay(at.at) - 1 };
    else place = undefined;
  }
  return { found, next: endpoints.length === 0 ? undefined : place };
}

interface Listed extends Found {
  readonly key: string;
  /** Of a row: it stands for this generation, and for no other. */
  readonly gen?: number;
}
interface Asked {
  readonly ep: EndpointId;
  readonly place: WalkPlace;
  readonly piece: number;
}
/** A way through an endpoint's deliveries: which lists, and how their items are named. */
interface Way {
  readonly newestFirst: boolean;
  readonly read: (ep: EndpointId, place: WalkPlace) => readonly Part[];
}
interface Part {
  readonly range: KeyRange;
  readonly toListed: (item: Placed<object>) => Listed;
}

const liveRowIn = (ep: EndpointId, item: Placed<object>, key: string): Listed => {
  const { msg, createdAt, gen, type } = item as Placed<RowItem>;
  return { key, gen, id: { ep, msg, createdAt }, ...given({ type }) };
};
const DAYS: Way = {
  newestFirst: true,
  read: (ep, { at, key }) => [
    {
      range: { ...recordsRange(ep, dayOf(at)), ...given({ to: key }) },
      toListed: item => ({ key: item.sk, id: deliveryOfRecord(item), record: item as unknown as RecordItem }),
    },
    {
      range: {
        ...liveRange(ep, { from: startOfDay(at), to: startOfDay(at) + DAY_MS - 1 }),
        ...(key === undefined ? {} : { to: `A#${key}` }),
      },
      toListed: item => liveRowIn(ep, item, item.sk.slice(2)),
    },
  ],
};
const DEAD: Way = {
  newestFirst: true,
  read: (ep, { key }) => [
    {
      range: { ...deadRange(ep), ...given({ to: key }) },
      toListed: item => ({ key: (item as Placed<{ gsk: string }>).gsk, id: deliveryOfRecord(item) }),
    },
  ],
};
const QUEUES: Way = {
  newestFirst: false,
  read: (ep, { key = 'A' }) => [
    {
      range: { table: 'outbox', partition: queueOf(ep), from: key, to: 'B~' },
      toListed: item => liveRowIn(ep, item, item.sk),
    },
  ],
};

async function readPieces(store: Pick<ItemStore, 'query'>, way: Way, { ep, place, piece }: Asked) {
  const { key, ep: seen } = place;
  const isAhead = (each: Listed): boolean => key === undefined || each.key !== key || ep > (seen ?? '');
  const parts = await Promise.all(
    way.read(ep, place).map(async ({ range, toListed }) => {
      const items: Listed[] = [];
      let cursor: string | undefined;
      // A page may be short, and hold nothing but what was shown: then it says nothing of what follows.
      do {
        const asked = { ...range, newestFirst: way.newestFirst, limit: piece, ...given({ cursor }) };
        const page = await store.query(asked);
        items.push(...page.items.map(item => toListed(item as Placed<object>)).filter(isAhead));
        cursor = page.cursor;
      } while (cursor !== undefined && items.length === 0);
      return { items, cutAt: cursor === undefined ? undefined : items.at(-1)?.key };
    }),
  );
  // A delivery with a record and a row is told by its record.
  const known = new Set(parts[0]?.items.map(each => each.key));
  const items = parts.flatMap(({ items: some }, part) => some.filter(each => part === 0 || !known.has(each.key)));
  const cuts = parts.flatMap(({ cutAt }) => cutAt ?? []).toSorted();
  return { items, cutAt: way.newestFirst ? cuts.at(-1) : cuts[0] };
}

function byKey(a: Listed, b: Listed, newestFirst: boolean): number {
  if (a.key !== b.key) return a.key < b.key === newestFirst ? 1 : -1;
  return a.id.ep < b.id.ep ? -1 : a.id.ep > b.id.ep ? 1 : 0;
}
