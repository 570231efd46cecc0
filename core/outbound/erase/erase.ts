/**
 * Erasing an application: its endpoints are deleted, what waits ends, then everything of it is removed page by page. Every
 * step may be repeated. What stays is one item with counts and times.
 */
import { exists, isIn, missing } from '#core/condition.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, TableKey } from '#core/outbound/ports.ts';
import { deleteEndpoint } from '#core/outbound/protocol/delivery-writes.ts';
import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { EndpointItem, MessageItem } from '#core/outbound/protocol/items.ts';
import {
  applicationKey,
  appNameKey,
  besidesRange,
  controlKey,
  dayOf,
  deliveryOfRecord,
  ERASURES,
  endpointKey,
  endpointNameKey,
  endpointsRange,
  listedAt,
  listOf,
  messageKey,
  messagesRange,
  queueOf,
  recordsRange,
  runtimeKey,
  secretsKey,
} from '#core/outbound/protocol/keys.ts';
import { GRACE_MS } from '#core/outbound/protocol/timings.ts';
import type { BlobStore, Clock, Ids } from '#core/ports.ts';
import { toHour } from '#core/time.ts';

export interface ErasePorts {
  readonly store: ItemStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** How far an erasure is. */
export interface Erasure {
  readonly app: AppId;
  readonly by: string;
  readonly startedAt: EpochMs;
  readonly phase: 'endpoints' | 'wait' | 'messages' | 'deliveries' | 'configuration' | 'done';
  /** The next hour (`messages`), or endpoint and day (`deliveries`). */
  readonly at?: EpochMs;
  readonly ep?: EndpointId;
  readonly removed: { readonly endpoints: number; readonly messages: number; readonly deliveries: number };
  readonly finishedAt?: EpochMs;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Sessions that were at work when the gates closed are over by then. */
const WAIT_MS = 10 * 60_000;
const keyOf = (app: AppId) => controlKey(`erase#${app}`);

/** From now on publishing to it is refused. False: there is no such application. */
export async function startErase(
  { store, clock }: Pick<ErasePorts, 'store' | 'clock'>,
  app: AppId,
  by: string,
): Promise<boolean> {
  const now = clock.now();
  const closed = await store.update({
    kind: 'update',
    key: applicationKey(app),
    condition: isIn('state', ['active', 'erasing']),
    set: { state: 'erasing' },
  });
  if (closed.kind === 'refused') return false;
  const removed = { endpoints: 0, messages: 0, deliveries: 0 };
  const erasure: Erasure = { app, by, startedAt: now, phase: 'endpoints', removed };
  const item = { value: JSON.stringify(erasure), version: 1, ...listedAt(ERASURES, now, app) };
  await store.put({ kind: 'put', key: keyOf(app), item, condition: missing('pk') });
  return true;
}

/** How far it is; undefined: none was asked for. */
export async function readErasure(store: Pick<ItemStore, 'get'>, app: AppId): Promise<Erasure | undefined> {
  const item = await store.get(keyOf(app), 'consistent');
  return item && (JSON.parse(item.value) as Erasure);
}

/** Goes on with every erasure that is not done, until the time is over. */
export async function eraseSome(ports: ErasePorts, retentionMs: number, until: EpochMs): Promise<void> {
  const listed = await ports.store.query({ ...listOf(ERASURES), limit: 100 });
  for (const { pk } of listed.items) {
    const app = pk.slice('C#erase#'.length) as AppId;
    let erasure = await readErasure(ports.store, app);
    while (erasure && erasure.phase !== 'done' && ports.clock.now() < until) {
      const next = await step(ports, erasure, retentionMs);
      if (next === erasure) break;
      await keep(ports, next);
      erasure = next;
    }
  }
}

async function keep({ store }: ErasePorts, erasure: Erasure): Promise<void> {
  const done = erasure.phase === 'done';
  await store.update({
    kind: 'update',
    key: keyOf(erasure.app),
    condition: exists('pk'),
    set: { value: JSON.stringify(erasure) },
    ...(done ? { remove: ['gpk', 'gsk'] } : {}),
  });
}

function step(ports: ErasePorts, erasure: Erasure, retentionMs: number): Promise<Erasure> {
  switch (erasure.phase) {
    case 'endpoints':
      return closeEndpoints(ports, erasure);
    case 'wait':
      return wait(ports, erasure, retentionMs);
    case 'messages':
      return removeMessages(ports, erasure, retentionMs);
    case 'deliveries':
      return removeDeliveries(ports, erasure, retentionMs);
    default:
      return removeConfiguration(ports, erasure);
  }
}

async function allEndpoints({ store }: ErasePorts, app: AppId): Promise<readonly EndpointItem[]> {
  const found: EndpointItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.query({
      ...endpointsRange(app),
      limit: 1_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

async function closeEndpoints(ports: ErasePorts, erasure: Erasure): Promise<Erasure> {
  const { store, clock, ids } = ports;
  const open = (await allEndpoints(ports, erasure.app)).filter(({ deletedAt }) => deletedAt === undefined);
  const now = clock.now();
  const expiresAt = Math.floor((now + 30 * DAY_MS) / 1_000);
  for (const endpoint of open) {
    const rules = { now, by: 'operator', why: 'erased', expiresAt } as const;
    await store.transact(deleteEndpoint(endpoint, rules), ids.uuid());
  }
  const removed = { ...erasure.removed, endpoints: erasure.removed.endpoints + open.length };
  // Some transactions may have been refused: looked at again until none is open.
  return { ...erasure, removed, phase: open.length === 0 ? 'wait' : 'endpoints', at: now + WAIT_MS };
}

async function wait({ clock }: ErasePorts, erasure: Erasure, retentionMs: number): Promise<Erasure> {
  const now = clock.now();
  if (now < (erasure.at ?? 0)) return erasure;
  return { ...erasure, phase: 'messages', at: now - retentionMs - GRACE_MS };
}

async function removeMessages(ports: ErasePorts, erasure: Erasure, retentionMs: number): Promise<Erasure> {
  const { store, blobs, clock } = ports;
  const at = erasure.at ?? 0;
  const page = await store.query({ ...messagesRange(erasure.app, toHour(at)), limit: 100 });
  const ids = page.items.map(({ pk }) => pk.slice(2) as MessageId);
  const messages = (await store.getMany(ids.map(messageKey))) as readonly (MessageItem | undefined)[];
  const there = messages.filter(message => message !== undefined);
  for (const { id, ref } of there) {
    // The bucket's lifecycle deletes the object; until then nothing is in it.
    if (ref !== undefined) await blobs.put(ref, new Uint8Array());
    await store.delete(messageKey(id));
  }
  const removed = { ...erasure.removed, messages: erasure.removed.messages + there.length };
  // The index lags: an hour is done when a look at it finds nothing that still exists.
  if (there.length > 0) return { ...erasure, removed };
  if (at <= clock.now()) return { ...erasure, removed, at: at + HOUR_MS };
  const { at: _, ...rest } = erasure;
  return { ...rest, phase: 'deliveries', at: clock.now() - retentionMs - GRACE_MS };
}

async function removeDeliveries(ports: ErasePorts, erasure: Erasure, retentionMs: number): Promise<Erasure> {
  const { store, clock } = ports;
  const endpoints = await allEndpoints(ports, erasure.app);
  const endpoint = endpoints.find(({ id }) => erasure.ep === undefined || id >= erasure.ep);
  if (endpoint === undefined) return { ...erasure, phase: 'configuration' };
  const ep = endpoint.id;
  const at = erasure.ep === ep && erasure.at !== undefined ? erasure.at : clock.now() - retentionMs - GRACE_MS;
  const rows = await store.query({ table: 'outbox', partition: queueOf(ep), limit: 100 });
  for (const { pk, sk } of rows.items) await store.delete({ table: 'outbox', pk, sk });
  const page = await store.query({ ...recordsRange(ep, dayOf(at)), limit: 100 });
  for (const record of page.items) {
    const { msg } = deliveryOfRecord(record);
    const about = await store.query({ ...besidesRange(ep, msg), limit: 1_000 });
    for (const { pk, sk } of about.items) await store.delete({ table: 'outbox', pk, sk });
    await store.delete({ table: 'outbox', pk: record.pk, sk: record.sk });
  }
  const removed = { ...erasure.removed, deliveries: erasure.removed.deliveries + page.items.length };
  if (page.items.length > 0 || rows.items.length > 0) return { ...erasure, removed, ep, at };
  if (at <= clock.now()) return { ...erasure, removed, ep, at: at + DAY_MS };
  const { at: _, ...rest } = erasure;
  return { ...rest, ep: `${ep}~` };
}

async function removeConfiguration(ports: ErasePorts, erasure: Erasure): Promise<Erasure> {
  const { store, clock } = ports;
  const { app } = erasure;
  const application = await store.get(applicationKey(app), 'consistent');
  const keys: TableKey[] = [];
  for (const { id, uid } of await allEndpoints(ports, app)) {
    keys.push(endpointKey(app, id), secretsKey(id), runtimeKey(id));
    if (uid !== undefined) keys.push(endpointNameKey(app, uid));
  }
  if (application?.uid !== undefined) {
    const name = await store.get(appNameKey(application.uid), 'consistent');
    if (name?.id === app) keys.push(appNameKey(application.uid));
  }
  for (const key of [...keys, applicationKey(app)]) await store.delete(key);
  const { at: _, ep: __, ...rest } = erasure;
  return { ...rest, phase: 'done', finishedAt: clock.now() };
}
