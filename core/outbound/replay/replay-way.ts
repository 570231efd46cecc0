/** The way of a replay job through the deliveries of its endpoints: the next page, and an endpoint that is left for later. */
import { given } from '#core/given.ts';
import type { ItemStore, OutboundPorts, Placed } from '#core/outbound/ports.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { RecordItem, ReplayJobItem } from '#core/outbound/protocol/items.ts';
import {
  type DeliveryId,
  dayOf,
  deadRange,
  deliveryOfRecord,
  endpointsRange,
  recordsRange,
} from '#core/outbound/protocol/keys.ts';
import { GRACE_MS } from '#core/outbound/protocol/timings.ts';
import { DAY_MS, parseIso } from '#core/time.ts';

interface WayPorts extends Pick<OutboundPorts, 'clock'> {
  readonly store: Pick<ItemStore, 'query'>;
}
interface PagePorts extends WayPorts {
  readonly retentionMs: number;
}

const PAGE = 50;

/** How far a job is: the place within one endpoint. */
interface Place {
  readonly ep: EndpointId;
  /** The day of the `D#` partition, where it goes by days. */
  readonly day?: string;
  readonly cursor?: string;
}
/** Endpoints by their ids from the place on, then those that had no room for more when their turn came. */
export interface Way extends Place {
  readonly later?: readonly Place[];
  /** Every endpoint had its turn: only `later` is left. */
  readonly through?: true;
}
/** Endpoints that may be left for later: they are stored with the job. */
const MOST_LATER = 25;

export interface Found {
  readonly delivery: DeliveryId;
  readonly record: RecordItem | undefined;
  readonly type?: string;
}

/** Dead deliveries by the index, all others by days of the table. */
export async function pageOf(
  ports: PagePorts,
  job: ReplayJobItem,
  place: Way,
  most: number,
): Promise<{ deliveries: readonly Found[]; next: Way | undefined }> {
  const { store, clock, retentionMs } = ports;
  const { ep, day: _, cursor, ...behind } = place;
  if (job.status === 'dead') {
    const page = await store.query({ ...deadRange(ep), limit: Math.min(PAGE, most), ...given({ cursor }) });
    const deliveries = page.items.map(item => {
      const { pk, sk, type } = item as Placed<{ type?: string }>;
      return { delivery: deliveryOfRecord({ pk, sk }), record: undefined, ...given({ type }) };
    });
    const next = page.cursor === undefined ? await onward(ports, job, place) : { ...behind, ep, cursor: page.cursor };
    return { deliveries, next };
  }
  const now = clock.now();
  // A time of a person may be of any year: of no other days is anything kept.
  const begin = Math.min(Math.max(job.since ?? 0, now - retentionMs - GRACE_MS), now);
  const day = place.day ?? dayOf(begin);
  const page = await store.query({ ...recordsRange(ep, day), limit: Math.min(PAGE, most), ...given({ cursor }) });
  const deliveries = page.items.map(item => ({
    delivery: deliveryOfRecord(item),
    record: item,
    ...given({ type: item.type }),
  }));
  if (page.cursor !== undefined) return { deliveries, next: { ...behind, ep, day, cursor: page.cursor } };
  const following = nextDay(day);
  const last = dayOf(Math.min(job.until ?? now, now));
  const next = following > last ? await onward(ports, job, place) : { ...behind, ep, day: following };
  return { deliveries, next };
}

function nextDay(day: string): string {
  const begins = parseIso(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`);
  if (begins === undefined) throw new RangeError(`"${day}" is not a day of the calendar`);
  return dayOf(begins + DAY_MS);
}

/** Behind an endpoint: the next one, and at the end those that were left for later. */
async function onward(ports: WayPorts, job: ReplayJobItem, { ep, later = [], through }: Way) {
  const next = through ? undefined : await nextPlace(ports, job, ep);
  if (next) return { ...next, ...(later.length === 0 ? {} : { later }) };
  const [first, ...rest] = later;
  return first && ({ ...first, later: rest, through: true } satisfies Way);
}

/** An endpoint that takes no more now holds up no other one. */
export async function leaveForLater(ports: WayPorts, job: ReplayJobItem, place: Way): Promise<Way> {
  const { later = [], through, ...here } = place;
  if (later.length >= MOST_LATER) return place;
  const left = { ...here, later: [...later, here], ...(through ? { through } : {}) };
  return (await onward(ports, job, left)) ?? place;
}

export async function firstPlace(ports: WayPorts, job: ReplayJobItem): Promise<Place | undefined> {
  return job.endpoint === undefined ? nextPlace(ports, job, undefined) : { ep: job.endpoint };
}

/** The application's next endpoint; of a job for one endpoint there is none. */
async function nextPlace(
  { store }: WayPorts,
  job: ReplayJobItem,
  after: EndpointId | undefined,
): Promise<Place | undefined> {
  if (job.endpoint !== undefined) return undefined;
  const page = await store.query({ ...endpointsRange(job.app, after === undefined ? '' : `${after}~`), limit: 1 });
  const endpoint = page.items[0];
  return endpoint && { ep: endpoint.id };
}
