/** Lists of deliveries: of an application, of an endpoint, of a message over its endpoints. */

import {
  type ApiCall,
  anyText,
  applicationOf,
  endpointOf,
  limitOf,
  listed,
  openCursor,
  PAGE_QUERY,
  queryOf,
} from '#core/outbound/api/api-call.ts';
import { time, typeName } from '#core/outbound/api/fields.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { ANSWER_CLASSES } from '#core/outbound/ports.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import {
  type ApplicationItem,
  type EndpointItem,
  FINAL_STATUSES,
  type MessageItem,
  OPEN_STATUSES,
  type RecordItem,
} from '#core/outbound/protocol/items.ts';
import {
  appNameKey,
  BROADCAST,
  type DeliveryId,
  endpointsRange,
  liveRowKey,
  messageKey,
  recordKey,
  runtimeKey,
} from '#core/outbound/protocol/keys.ts';
import { oneOf } from '#core/problem.ts';
import { refuse } from '#core/problem-reply.ts';
import type { Reply } from '#core/reply.ts';
import { groupsOf } from '#core/side-by-side.ts';
import { DAY_MS, parseIso, SECOND_MS } from '#core/time.ts';
import { showDelivery } from './show-delivery.ts';
import { type Found, type WalkPlace, walkDeliveries } from './walk-deliveries.ts';

export const DELIVERY_QUERY = {
  status: oneOf(...OPEN_STATUSES, ...FINAL_STATUSES),
  class: oneOf(...ANSWER_CLASSES),
  code_class: oneOf('1xx', '2xx', '3xx', '4xx', '5xx', 'none'),
  type: typeName,
  since: time,
  until: time,
  ...PAGE_QUERY,
};
const ENDPOINT_QUERY = { endpoint: anyText };
export const APPLICATION_QUERY = { ...DELIVERY_QUERY, ...ENDPOINT_QUERY };
export const OF_MESSAGE_QUERY = { ...ENDPOINT_QUERY, ...PAGE_QUERY };

/** Of an endpoint: what waits and what became of the rest, newest first (walk-deliveries.ts). */
export async function listDeliveries(call: ApiCall): Promise<Reply> {
  queryOf(call, DELIVERY_QUERY);
  return listOf(call, [await endpointOf(call)]);
}

/**
 * Of all endpoints of an application that are there, or of the one of `?endpoint=`. Two lists of each are asked, of half a
 * read unit: 1,000 units for 1,000 endpoints. An index over an application would cost a write unit for each delivery.
 */
export async function listOfApplication(call: ApiCall): Promise<Reply> {
  const { endpoint } = queryOf(call, APPLICATION_QUERY);
  const application = await applicationOf(call);
  if (endpoint !== undefined) return listOf(call, [await endpointOf(call, endpoint)]);
  const known = await endpointsOf(call.ports.store)(application.id, application);
  return listOf(
    call,
    known.filter(({ deletedAt }) => deletedAt === undefined),
  );
}

/** A fan-out that came late brings messages that are older than the endpoint. */
const LATE_MS = DAY_MS;
/** For what fits; the function has 29 s. */
const LOOKS_MS = 15 * SECOND_MS;
async function listOf(call: ApiCall, endpoints: readonly EndpointItem[]): Promise<Reply> {
  const { ports, rules, query } = call;
  const now = ports.clock.now();
  const made = Math.min(...endpoints.map(({ createdAt }) => createdAt));
  const { found, next } = await walkDeliveries(ports.store, {
    endpoints: endpoints.map(({ id }) => id),
    status: query['status'],
    limit: limitOf(call),
    from: Math.min(parseIso(query['until'] ?? '') ?? now, now),
    oldest: Math.max(parseIso(query['since'] ?? '') ?? 0, made - LATE_MS, now - rules.retentionMs - DAY_MS),
    place: openCursor<WalkPlace>(call),
    fits: each => fits(call, each),
    goesOn: () => ports.clock.now() < now + LOOKS_MS,
  });
  const asked = [...new Set(found.map(({ id }) => id.ep))];
  const items = await ports.store.getMany(asked.map(runtimeKey));
  const runtimes = new Map(asked.map((ep, place) => [ep, items[place]]));
  const data = found.map(({ id, record, type }) =>
    showDelivery(id, record, { type, runtime: runtimes.get(id.ep), now }),
  );
  return listed(call, data, next);
}

function fits({ query }: ApiCall, { id: { createdAt }, record, type: waiting }: Found): boolean {
  const { status, type, class: wanted, code_class: codes, since, until } = query;
  if (status !== undefined && (record?.status ?? 'pending') !== status) return false;
  if (type !== undefined && (record?.type ?? waiting) !== type) return false;
  if (wanted !== undefined && record?.last?.class !== wanted) return false;
  const code = record?.last?.code;
  if (codes !== undefined && (code === undefined ? 'none' : `${Math.floor(code / 100)}xx`) !== codes) return false;
  return createdAt >= (parseIso(since ?? '') ?? 0) && createdAt <= (parseIso(until ?? '') ?? Number.POSITIVE_INFINITY);
}

/** Endpoints of one page of them: a record and a row of each are read. */
const ENDPOINTS_AT_ONCE = 250;
const PAGES_PER_CALL = 20;

/** Of a message, over the endpoints of its application: those that it was fanned out to, or the one of `?endpoint=`. */
export async function listOfMessage(call: ApiCall): Promise<Reply> {
  const { endpoint } = queryOf(call, OF_MESSAGE_QUERY);
  const { store, clock } = call.ports;
  const { id: app } = await applicationOf(call);
  const msg = (call.path['msg'] ?? '') as MessageId;
  const message = await store.get(messageKey(msg), 'consistent');
  if (message === undefined || (message.app !== app && !(await isBroadcast(store, message))))
    return unknownMessage(msg, app);
  // 1. Endpoints until the page is full: most of them may not have wanted it.
  const limit = limitOf(call);
  const found: { readonly id: DeliveryId; readonly record: RecordItem | undefined }[] = [];
  const only = endpoint === undefined ? undefined : (await endpointOf(call, endpoint)).id;
  let after = openCursor<string>(call);
  let more = true;
  for (let pages = 0; more && found.length < limit && pages < PAGES_PER_CALL; pages++) {
    const from = only ?? (after === undefined ? '' : `${after}~`);
    const range = { ...endpointsRange(app, from, only), limit: ENDPOINTS_AT_ONCE };
    const page = await store.query<EndpointItem>(range);
    const ids = page.items.map(({ id: ep }) => ({ ep, msg, createdAt: message.createdAt }));
    const items = await store.getMany(ids.flatMap(id => [recordKey(id), liveRowKey(id)]));
    const got = ids.flatMap((id, place) => {
      const [record, row] = items.slice(2 * place, 2 * place + 2);
      return record === undefined && row === undefined ? [] : [{ id, record: record as RecordItem | undefined }];
    });
    const fitting = got.slice(0, limit - found.length);
    found.push(...fitting);
    more = page.cursor !== undefined || fitting.length < got.length;
    after = fitting.length < got.length ? fitting.at(-1)?.id.ep : (page.items.at(-1)?.id ?? after);
  }
  // A broadcast belongs to another application: here is what of it was sent to this one.
  if (message.app !== app && found.length === 0 && call.query['cursor'] === undefined) return unknownMessage(msg, app);
  // 2. Each with its hold.
  const runtimes = await store.getMany(found.map(({ id }) => runtimeKey(id.ep)));
  const data = found.map(({ id, record }, place) =>
    showDelivery(id, record, { type: message.type, runtime: runtimes[place], now: clock.now() }),
  );
  return listed(call, data, more ? after : undefined);
}

export const unknownMessage = (msg: string, app: string): never =>
  refuse(
    404,
    'unknown_message',
    `there is no message ${msg.slice(0, 80)} in ${app}: check the id (msg_…); its retention may be over`,
  );

/** Only of those anything was sent to an application that is not their own: of others its endpoints are not asked. */
async function isBroadcast(store: ApiCall['ports']['store'], { app }: MessageItem): Promise<boolean> {
  return (await store.get(appNameKey(BROADCAST), 'consistent'))?.id === app;
}

/** Whether an endpoint of the application has a delivery of it: of a broadcast, which belongs to another one. */
export async function wasSentTo(
  { store }: Pick<ApiCall['ports'], 'store'>,
  application: ApplicationItem,
  message: MessageItem,
): Promise<boolean> {
  if (!(await isBroadcast(store, message))) return false;
  const { id: msg, createdAt } = message;
  const known = await endpointsOf(store)(application.id, application);
  for (const some of groupsOf(known, ENDPOINTS_AT_ONCE)) {
    const ids = some.map(({ id: ep }) => ({ ep, msg, createdAt }));
    const items = await store.getMany(ids.flatMap(id => [recordKey(id), liveRowKey(id)]));
    if (items.some(item => item !== undefined)) return true;
  }
  return false;
}
