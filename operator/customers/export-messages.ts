/**
 * Messages and what became of them, as lines that anybody can read: each as the delivery API shows it, with its body, and its
 * deliveries with their last answers. `record` and `row` are what an import needs (import-messages.ts).
 */
import { createHash } from 'node:crypto';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { given } from '#core/given.ts';
import { showMessage } from '#core/outbound/api/deliveries/messages-api.ts';
import { portableMessage, portableRecord } from '#core/outbound/api/deliveries/moved-messages.ts';
import { showDelivery } from '#core/outbound/api/deliveries/show-delivery.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import { isOpen } from '#core/outbound/protocol/decide.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import type { MessageItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { BROADCAST, liveRowKey, recordKey, runtimeKey, type Span } from '#core/outbound/protocol/keys.ts';
import { GRACE_MS, OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { readBody } from '#core/outbound/publish/message-body.ts';
import { hoursOf, messagesPage } from '#core/outbound/tend/reconcile-messages.ts';
import { everyPage } from '#core/pages.ts';
import { groupsOf } from '#core/side-by-side.ts';
import { DAY_MS, HOUR_MS, parseIso } from '#core/time.ts';
import { allOf, type DeliveryApi } from '#operator/delivery-api.ts';
import type { Operator } from '#operator/operator.ts';
import { setGate } from './deliveries.ts';

/** Bodies of up to a quarter of a megabyte lie in memory together. */
const AT_ONCE = 16;
/** The list of messages is an index, which lags. */
const LAG_MS = 10_000;

export type ExportedMessage = Readonly<Record<string, unknown>> & { readonly deliveries: readonly unknown[] };
interface Place {
  readonly app: AppId;
  readonly ep: EndpointId;
  readonly runtime: RuntimeItem | undefined;
}

/**
 * Pauses every endpoint that is open, and waits until what was being sent is written down: nothing is sent from here any
 * more. Answers how many it paused. Once more it pauses what was opened since.
 */
export async function stopSending(operator: Operator): Promise<number> {
  const { timer, ...gateway } = await operator.gateway();
  const api = await gateway.delivery();
  let paused = 0;
  for (const { id: app } of await keptApplications(api))
    for (const { id: ep, gate } of await allOf(api, ['apps', app, 'endpoints'])) {
      if (gate !== 'open') continue;
      await setGate(operator, { app, ep }, 'pause', { why: 'moved to another environment' });
      paused += 1;
    }
  await timer.sleep(OUTBOUND_TIMINGS.leaseMs + LAG_MS);
  return paused;
}

/** One that is being erased takes no act, and leaves nothing. */
const keptApplications = async (api: DeliveryApi) =>
  (await allOf(api, ['apps'])).filter(({ state }) => state !== 'erasing');

/** Of each application the oldest first, each once. A delivery of an endpoint that was deleted is left out. */
export async function* exportMessages(
  operator: Operator,
  progress?: (done: number, total: number) => void,
): AsyncGenerator<readonly ExportedMessage[]> {
  const gateway = await operator.gateway();
  const [api, store] = [await gateway.delivery(), await gateway.outbound()];
  const applications = await keptApplications(api);
  const places: Place[] = [];
  for (const { id } of applications) {
    const ids = (await allOf(api, ['apps', id, 'endpoints'])).map(endpoint => endpoint.id as EndpointId);
    const runtimes = await store.getMany(ids.map(runtimeKey));
    places.push(...ids.map((ep, at) => ({ app: id as AppId, ep, runtime: runtimes[at] })));
  }
  const now = gateway.clock.now();
  const keptMs = (gateway.deployment.config.outbound?.retentionDays ?? 0) * DAY_MS + GRACE_MS;
  let done = 0;
  for (const { id, uid, created_at: createdAt } of applications) {
    const app = id as AppId;
    const own = uid === BROADCAST ? places : places.filter(place => place.app === app);
    // Clocks differ: its first message may seem older than itself.
    const from = Math.max((parseIso(String(createdAt)) ?? 0) - HOUR_MS, now - keptMs);
    for await (const messages of messagesOf(store, app, { from, to: now + HOUR_MS }))
      for (const some of groupsOf(messages, AT_ONCE))
        yield await Promise.all(some.map(each => exported(operator, each, own)));
    done += 1;
    progress?.(done, applications.length);
  }
}

async function* messagesOf(store: ItemStore, app: AppId, span: Span): AsyncGenerator<readonly MessageItem[]> {
  for (const hour of hoursOf(span)) {
    const pages = everyPage(cursor => messagesPage(store, app, { hour, span, cursor, reading: 'consistent' }));
    for await (const { messages } of pages) yield messages;
  }
}

async function exported(operator: Operator, item: MessageItem, places: readonly Place[]): Promise<ExportedMessage> {
  const gateway = await operator.gateway();
  const store = await gateway.outbound();
  const { id: msg, createdAt, type } = item;
  const ids = places.map(({ ep }) => ({ ep, msg, createdAt }));
  const bytes = await readBody({ codec: nodeCodec, blobs: gateway.blobs }, item);
  // Row first, record second: between the two reads a row may only become a record.
  const rows = await store.getMany(ids.map(liveRowKey));
  const records = await store.getMany(ids.map(recordKey));
  const deliveries = ids.flatMap((id, at) => {
    const [record, live] = [records[at], rows[at]];
    if (record === undefined && live === undefined) return [];
    const waits = record === undefined || isOpen(record);
    const row = waits ? (live === undefined ? 'later' : 'live') : undefined;
    const shown = showDelivery(id, record, { type, runtime: places[at]?.runtime, now: gateway.clock.now() });
    const moved = given({ record: record && portableRecord(record), row });
    return [{ ...shown, application: places[at]?.app, ...moved }];
  });
  return { ...showMessage(item), ...bodyOf(bytes), deliveries, record: portableMessage(item) };
}

/** As text, or as `body_base64` where it is no UTF-8; `null`: it is gone. */
function bodyOf(bytes: Uint8Array | undefined): Readonly<Record<string, string | null>> {
  if (bytes === undefined) return { body: null };
  const text = Buffer.from(bytes).toString('utf8');
  const sha = { body_sha256: createHash('sha256').update(bytes).digest('hex') };
  if (Buffer.from(text).equals(bytes)) return { body: text, ...sha };
  return { body_base64: Buffer.from(bytes).toString('base64'), ...sha };
}
