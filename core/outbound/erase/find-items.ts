/** What an erasure removes next, place by place: reads only. Of a dry run the place goes on by cursor, for nothing goes. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, Placed, TableKey } from '#core/outbound/ports.ts';
import type { AppId, EndpointId, JobId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { EndpointItem, MessageItem } from '#core/outbound/protocol/items.ts';
import {
  applicationKey,
  appNameKey,
  batchesRange,
  besidesRange,
  contactsKey,
  copyNameKey,
  dayOf,
  endpointKey,
  endpointNameKey,
  endpointsRange,
  JOBS,
  JOBS_OVER,
  listOf,
  messageKey,
  messagesRange,
  newAppKey,
  recordsRange,
  replayJobKey,
  rowNoteKey,
  rowsRange,
  runtimeKey,
  secretsKey,
  testsRange,
} from '#core/outbound/protocol/keys.ts';
import { GRACE_MS, ROW_NOTE_MS } from '#core/outbound/protocol/timings.ts';
import { bodiesOf } from '#core/outbound/publish/message-body.ts';
import type { BlobList } from '#core/ports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, toHour } from '#core/time.ts';
import type { ErasedCounts, Erasure, Page, Place } from './erasure.ts';

/** The longest retention that an environment may have, and the grace: nothing older is there, whatever was set when. */
const OLDEST_MS = 366 * DAY_MS + GRACE_MS;
/** Sessions that were at work when the gates closed are over by then, and the index lists what they left. */
const WAIT_MS = 10 * MINUTE_MS;
const PAGE = 100;
/** Keys that are written down before they are removed. */
const MOST_KEYS = 1_000;
/** In the place of a time: the list of replay jobs that are over. */
const OVER = 1;
/** Partitions that one step looks into. */
const LOOKS = 200;
const DAYS_AT_ONCE = 20;

export interface Found {
  readonly next: Place;
  readonly counts?: Partial<ErasedCounts>;
  readonly page?: Page;
}
type Store = Pick<ItemStore, 'get' | 'getMany' | 'query'>;
type Key = Page['keys'][number];
const keyOf = (table: Key[0], { pk, sk }: { readonly pk: string; readonly sk: string }): Key => [table, pk, sk];
const from = (cursor: string | undefined) => given({ cursor });

interface Ports {
  readonly store: Store;
  readonly blobs: BlobList;
}

/** The next page and where to go on behind it; undefined: not yet. */
export async function findNext({ store, blobs }: Ports, erasure: Erasure, now: EpochMs): Promise<Found | undefined> {
  switch (erasure.phase) {
    case 'endpoints':
      return findOpenEndpoints(store, erasure, now);
    case 'wait':
      return now < (erasure.at ?? 0) ? undefined : { next: { phase: 'messages' } };
    case 'messages':
      return findMessages(store, erasure, now);
    case 'deliveries':
      return findDeliveries(store, erasure, now);
    case 'jobs':
      return findJobs(store, erasure);
    case 'bodies':
      return findBodies(blobs, erasure);
    default:
      return findConfiguration(store, erasure, now);
  }
}

async function findOpenEndpoints(store: Store, { app, dryRun, cursor }: Erasure, now: EpochMs): Promise<Found> {
  const page = await store.query({ ...endpointsRange(app), limit: PAGE, ...from(cursor) });
  const open = page.items.filter(({ deletedAt }) => deletedAt === undefined).map(({ id }) => id);
  const counts = { endpoints: open.length, secrets: open.length };
  // Looked at from the start until none is open.
  if (!dryRun && open.length > 0) return { next: { phase: 'endpoints' }, counts, page: { keys: [], close: open } };
  if (page.cursor !== undefined) return { next: { phase: 'endpoints', cursor: page.cursor }, counts };
  return { next: dryRun ? { phase: 'messages' } : { phase: 'wait', at: now + WAIT_MS }, counts };
}

async function findMessages(store: Store, erasure: Erasure, now: EpochMs): Promise<Found> {
  const { app, dryRun } = erasure;
  const application = erasure.at === undefined ? await store.get(applicationKey(app), 'consistent') : undefined;
  const first = Math.max((application?.createdAt ?? 0) - HOUR_MS, now - OLDEST_MS);
  let at = erasure.at ?? Math.floor(first / HOUR_MS) * HOUR_MS;
  let { cursor } = erasure;
  for (let looks = 0; looks < LOOKS; looks++) {
    if (at > now) return { next: { phase: 'deliveries' } };
    const page = await store.query({ ...messagesRange(app, toHour(at)), limit: PAGE, ...from(cursor) });
    const keys = page.items.map(({ pk }) => messageKey(pk.slice(2) as MessageId));
    const there = await store.getMany(keys);
    const found = there.filter(message => message !== undefined);
    const here = { at, ...from(cursor) };
    ({ at, cursor } =
      page.cursor === undefined ? { at: at + HOUR_MS, cursor: undefined } : { at, cursor: page.cursor });
    if (found.length === 0) continue;
    // A broadcast's body is not the customer's, whatever names it.
    const refs = found.flatMap(({ ref }) => (ref?.startsWith(bodiesOf(app)) ? [ref] : []));
    const next: Place = { phase: 'messages', ...(dryRun ? { at, ...from(cursor) } : { at: here.at }) };
    const removed = found.flatMap(keysOfMessage);
    return { next, counts: { messages: found.length, bodies: refs.length }, page: { keys: removed, refs } };
  }
  return { next: { phase: 'messages', at, ...from(cursor) } };
}

/** Its item, and of a copy its name beside the original, which may be a broadcast. */
const keysOfMessage = ({ id, copyOf }: MessageItem): readonly Key[] => [
  keyOf('outbox', messageKey(id)),
  ...(copyOf === undefined ? [] : [keyOf('outbox', copyNameKey(copyOf, id))]),
];

/** Of one endpoint after the other, deleted ones among them: its rows, then its records by the day of their messages. */
async function findDeliveries(store: Store, erasure: Erasure, now: EpochMs): Promise<Found> {
  const { app, dryRun, ep = '' as EndpointId } = erasure;
  const [endpoint] = (await store.query({ ...endpointsRange(app, ep), limit: 1 })).items;
  if (endpoint === undefined) return { next: { phase: 'jobs' } };
  const { id } = endpoint;
  if (erasure.at === undefined || id !== ep) return findRows(store, endpoint, erasure, now);
  let { at, cursor } = erasure as Required<Place>;
  for (let looks = 0; looks < LOOKS; looks += DAYS_AT_ONCE) {
    if (at > now) return { next: { phase: 'deliveries', ep: `${id}~` } };
    const days = Array.from({ length: cursor === undefined ? DAYS_AT_ONCE : 1 }, (_, n) => at + n * DAY_MS);
    const pages = await Promise.all(
      days.map(day => store.query({ ...recordsRange(id, dayOf(day)), limit: PAGE, ...from(cursor) })),
    );
    const place = pages.findIndex(({ items }) => items.length > 0);
    const page = pages[place];
    if (page === undefined) {
      at += days.length * DAY_MS;
      cursor = undefined as never;
      continue;
    }
    const day = days[place] ?? at;
    const taken = await withBesides(
      store,
      id,
      page.items.map(each => ({ ...each, msg: msgOf(each) })),
      dryRun,
    );
    const after = page.cursor === undefined ? { at: day + DAY_MS } : { at: day, cursor: page.cursor };
    const next: Place = { phase: 'deliveries', ep: id, ...(dryRun ? after : { at: day }) };
    return { next, counts: { ...taken.counts, deliveries: taken.whole }, page: { keys: taken.keys } };
  }
  return { next: { phase: 'deliveries', ep: id, at, ...from(cursor) } };
}

const msgOf = ({ sk }: { readonly sk: string }): MessageId => sk.slice(14) as MessageId;

async function findRows(store: Store, { id, createdAt }: EndpointItem, erasure: Erasure, now: EpochMs): Promise<Found> {
  const { dryRun } = erasure;
  const cursor = erasure.ep === id ? erasure.cursor : undefined;
  const page = await store.query({ ...rowsRange(id), limit: PAGE, ...from(cursor) });
  const day = Math.max(createdAt - DAY_MS, now - OLDEST_MS);
  const records: Place = { phase: 'deliveries', ep: id, at: day };
  const again: Place = { phase: 'deliveries', ep: id };
  const waiting = page.items.length;
  if (dryRun) {
    if (page.cursor !== undefined) return { next: { ...again, cursor: page.cursor }, counts: { waiting } };
    return { next: records, counts: { waiting, tests: (await testsOf(store, id, dryRun)).length } };
  }
  if (waiting === 0) {
    const keys = await testsOf(store, id, dryRun);
    return { next: keys.length === 0 ? records : again, counts: { tests: keys.length }, page: { keys } };
  }
  // An attempt is written before its record: a row whose session died between may be all that names it.
  const taken = await withBesides(store, id, page.items, dryRun);
  return { next: again, counts: { ...taken.counts, waiting: taken.whole }, page: { keys: taken.keys } };
}

/** Tests, and what names the batches that are open: one page of them; in a dry run all. */
async function testsOf(store: Store, ep: EndpointId, dryRun: boolean): Promise<readonly Key[]> {
  const keys: Key[] = [];
  for (const range of [testsRange(ep), batchesRange(ep)]) {
    let cursor: string | undefined;
    do {
      const page = await store.query<unknown>({ ...range, limit: MOST_KEYS, ...from(cursor) });
      keys.push(...page.items.map(each => keyOf('outbox', each)));
      cursor = page.cursor;
    } while (dryRun && cursor !== undefined);
    if (!dryRun && keys.length > 0) break;
  }
  return keys;
}

/** Rows or records, each with what lies about its delivery, as many as one page takes; all of them in a dry run. */
async function withBesides(
  store: Store,
  ep: EndpointId,
  items: readonly (Placed<object> & { readonly msg: MessageId })[],
  dryRun: boolean,
) {
  const keys: Key[] = [];
  let whole = 0;
  let notes = 0;
  let attempts = 0;
  for (const item of items) {
    let cursor: string | undefined;
    do {
      const about = await store.query({ ...besidesRange(ep, item.msg), limit: MOST_KEYS, ...from(cursor) });
      cursor = about.cursor;
      const noted = about.items.filter(({ sk }) => sk.startsWith('R#')).length;
      notes += noted;
      attempts += about.items.length - noted;
      if (!dryRun) keys.push(...about.items.map(each => keyOf('outbox', each)));
    } while (cursor !== undefined && dryRun);
    // More lies about it than one page takes: it goes when that is gone.
    if (cursor !== undefined) break;
    whole += 1;
    if (!dryRun) keys.push(keyOf('outbox', item));
    if (keys.length >= MOST_KEYS) break;
  }
  return { keys, whole, counts: { attempts, replay_notes: notes } };
}

/** Those that run before those that are over: one that ends meanwhile is met there. */
async function findJobs(store: Store, { app, dryRun, at, cursor }: Erasure): Promise<Found> {
  const isOver = at === OVER;
  const page = await store.query({ ...listOf(isOver ? JOBS_OVER : JOBS), limit: PAGE, ...from(cursor) });
  const keys = page.items.map(({ pk }) => replayJobKey(pk.slice(2) as JobId));
  const jobs = await store.getMany(keys);
  const mine = jobs.flatMap(job => (job?.app === app ? [keyOf('registry', replayJobKey(job.id))] : []));
  const end: Place = isOver ? { phase: dryRun ? 'done' : 'bodies' } : { phase: 'jobs', at: OVER };
  const here = { phase: 'jobs', ...(isOver ? { at: OVER } : {}) } as const;
  const next: Place = page.cursor === undefined ? end : { ...here, cursor: page.cursor };
  return { next, counts: { replay_jobs: mine.length }, page: { keys: mine } };
}

/** What no message names: of publications that were refused, or cut off. From the start until the prefix is empty. */
async function findBodies(blobs: BlobList, { app, cursor }: Erasure): Promise<Found> {
  const { keys: refs, cursor: next } = await blobs.list(bodiesOf(app), cursor);
  if (refs.length > 0) return { next: { phase: 'bodies' }, counts: { bodies: refs.length }, page: { keys: [], refs } };
  return { next: next === undefined ? { phase: 'configuration' } : { phase: 'bodies', cursor: next } };
}

/** What names the endpoints goes when nothing is left to be found by it; the application last. */
async function findConfiguration(store: Store, { app }: Erasure, now: EpochMs): Promise<Found> {
  const { items } = await store.query({ ...endpointsRange(app), limit: PAGE });
  if (items.length > 0) {
    const keys = items.flatMap(({ id, uid }) => [
      ...[endpointKey(app, id), secretsKey(id), runtimeKey(id)],
      ...(uid === undefined ? [] : [endpointNameKey(app, uid)]),
    ]);
    return { next: { phase: 'configuration' }, page: { keys: keys.map(key => keyOf(key.table, key)) } };
  }
  const application = await store.get(applicationKey(app), 'consistent');
  const uid = application?.uid;
  const name = uid === undefined ? undefined : await store.get(appNameKey(uid), 'consistent');
  const named = uid !== undefined && name?.id === app ? [appNameKey(uid)] : [];
  const noted = application === undefined ? [] : [newAppKey(application.createdAt, app)];
  const rowNotes = await rowNotesOf(store, app, now);
  const all = [...named, ...noted, ...rowNotes, contactsKey(app), applicationKey(app)];
  const keys = all.map(key => keyOf(key.table, key));
  return { next: { phase: 'done' }, page: { keys } };
}

/** Those that have not expired. */
async function rowNotesOf(store: Store, app: AppId, now: EpochMs): Promise<readonly TableKey[]> {
  const hours = Math.ceil(ROW_NOTE_MS / HOUR_MS) + 1;
  const keys = Array.from({ length: hours }, (_, ago) => rowNoteKey(app, now - ago * HOUR_MS));
  const found = await store.getMany(keys);
  return keys.filter((_, at) => found[at] !== undefined);
}
