/** Deliveries: of an endpoint newest first, of a message over its endpoints, and the attempts of one. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { ANSWER_CLASSES, type Placed } from '#core/outbound/ports.ts';
import { wordsOf } from '#core/outbound/protocol/attempt-words.ts';
import { isOpen } from '#core/outbound/protocol/decide.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import {
  type AttemptItem,
  type EndpointItem,
  FINAL_STATUSES,
  OPEN_STATUSES,
  type RecordItem,
  type RuntimeItem,
} from '#core/outbound/protocol/items.ts';
import {
  attemptsRange,
  type DeliveryId,
  dayOf,
  deadRange,
  deliveryOfRecord,
  endpointsRange,
  liveRowKey,
  messageKey,
  queueOf,
  recordKey,
  recordsRange,
  runtimeKey,
} from '#core/outbound/protocol/keys.ts';
import type { Codec } from '#core/ports.ts';
import { oneOf } from '#core/problem.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { capText } from '#core/scan/text.ts';
import { DAY_MS, parseIso, toIso } from '#core/time.ts';
import {
  type ApiCall,
  anyText,
  applicationOf,
  endpointOf,
  limitCheck,
  limitOf,
  openCursor,
  queryOf,
  sealCursor,
} from './api-call.ts';
import { time, typeName } from './fields.ts';

/** Days that one call reads at most. */
const DAYS_PER_CALL = 31;
const iso = (at: EpochMs | undefined): string | null => (at === undefined ? null : toIso(at));

/** One delivery; without a record it waits for its first attempt. */
function showDelivery(
  { ep, msg, createdAt }: DeliveryId,
  record: RecordItem | undefined,
  around: { readonly type: string | undefined; readonly runtime: RuntimeItem | undefined; readonly now: EpochMs },
) {
  const { runtime, now } = around;
  const hold = record === undefined || isOpen(record) ? holdOf(runtime, now) : undefined;
  const status = record?.status ?? 'pending';
  const { last } = record ?? {};
  const delivered = status === 'delivered';
  return {
    message: msg,
    endpoint: ep,
    type: record?.type ?? around.type ?? null,
    status,
    held: hold !== undefined,
    held_until: iso(hold?.until),
    held_why: hold?.why ?? null,
    generation: record?.gen ?? 1,
    attempt_count: (record?.attempts ?? 0) + (delivered ? 1 : 0),
    created_at: toIso(createdAt),
    first_attempt_at: iso(record?.firstAt),
    // The schedule goes on behind a hold, and nothing is sent before both are over.
    next_retry_at:
      status === 'retrying' && !hold?.closed ? iso(Math.max(record?.nextAt ?? 0, hold?.until ?? 0, now)) : null,
    delivered_at: delivered ? iso(record?.endedAt) : null,
    ended_at: iso(record?.endedAt),
    last_attempt: last
      ? {
          attempted_at: toIso(last.at),
          status: last.code ?? null,
          class: last.class,
          response_time_ms: last.ms,
          snippet: record?.snippet ?? null,
        }
      : null,
    replayed_from: record !== undefined && record.gen > 1 ? record.gen - 1 : null,
    replayable: record !== undefined && !isOpen(record),
  };
}

/** Why nothing is sent to an endpoint now: its gate, or a hold that ends. */
function holdOf(runtime: RuntimeItem | undefined, now: EpochMs) {
  if (runtime === undefined) return { closed: true, why: undefined, until: undefined };
  const { gate, holdUntil = 0, holdWhy } = runtime;
  if (gate !== 'open') return { closed: true, why: gate, until: undefined };
  return holdUntil > now ? { closed: false, why: holdWhy, until: holdUntil } : undefined;
}

const codeClass = oneOf('1xx', '2xx', '3xx', '4xx', '5xx', 'none');
const FILTERS = {
  status: oneOf(...OPEN_STATUSES, ...FINAL_STATUSES),
  class: oneOf(...ANSWER_CLASSES),
  code_class: codeClass,
  type: typeName,
  since: time,
  until: time,
  limit: limitCheck,
  cursor: anyText,
};

/**
 * Of an endpoint, newest first. `status=dead` reads the index of the dead; `status=pending` what waits for its first
 * attempt; everything else goes by days, and a page may be short and still have a cursor.
 */
export async function listDeliveries(call: ApiCall): Promise<Reply> {
  const query = queryOf(call, FILTERS);
  const { store, clock } = call.ports;
  const endpoint = await endpointOf(call);
  const runtime = await store.get(runtimeKey(endpoint.id), 'consistent');
  const page =
    query['status'] === 'dead'
      ? await deadPage(call, endpoint.id)
      : query['status'] === 'pending'
        ? await waitingPage(call, endpoint.id)
        : await dayPage(call, endpoint.id);
  const around = { type: undefined, runtime, now: clock.now() };
  const shown = page.found.filter(({ id, record }) => fits(call, id.createdAt, record));
  const data = shown.map(({ id, record }) => showDelivery(id, record, around));
  return json(200, { data, cursor: page.next === undefined ? null : sealCursor(call, page.next) });
}

interface Found {
  readonly id: DeliveryId;
  readonly record: RecordItem | undefined;
}
interface FoundPage {
  readonly found: readonly Found[];
  readonly next: unknown;
}

async function deadPage(call: ApiCall, ep: EndpointId): Promise<FoundPage> {
  const { store } = call.ports;
  const cursor = openCursor<string>(call);
  const at = cursor === undefined ? {} : { cursor };
  const page = await store.query({ ...deadRange(ep), newestFirst: true, limit: limitOf(call), ...at });
  const ids = (page.items as readonly Placed<object>[]).map(deliveryOfRecord);
  const records = await store.getMany(ids.map(recordKey));
  return { found: ids.map((id, place) => ({ id, record: records[place] })), next: page.cursor };
}

async function waitingPage(call: ApiCall, ep: EndpointId): Promise<FoundPage> {
  const { store } = call.ports;
  const cursor = openCursor<string>(call);
  const at = cursor === undefined ? {} : { cursor };
  const range = { table: 'outbox' as const, partition: queueOf(ep), from: 'A', to: 'A~', limit: limitOf(call), ...at };
  const page = await store.query<{ msg: MessageId; createdAt: EpochMs }>(range);
  const ids = page.items.map(({ msg, createdAt }) => ({ ep, msg, createdAt }));
  const records = await store.getMany(ids.map(recordKey));
  return { found: ids.map((id, place) => ({ id, record: records[place] })), next: page.cursor };
}

async function dayPage(call: ApiCall, ep: EndpointId): Promise<FoundPage> {
  const { ports, rules, query } = call;
  const now = ports.clock.now();
  const oldest = parseIso(query['since'] ?? '') ?? now - rules.retentionMs - DAY_MS;
  const place = openCursor<{ at: EpochMs; cursor?: string }>(call);
  let at = place?.at ?? Math.min(parseIso(query['until'] ?? '') ?? now, now);
  let cursor = place?.cursor;
  for (let days = 0; days < DAYS_PER_CALL && dayOf(at) >= dayOf(oldest); days++) {
    const more = cursor === undefined ? {} : { cursor };
    const range = { ...recordsRange(ep, dayOf(at)), newestFirst: true, limit: limitOf(call), ...more };
    const page = await ports.store.query(range);
    const found = page.items.map(item => ({ id: deliveryOfRecord(item), record: item }));
    const next = page.cursor === undefined ? { at: at - DAY_MS } : { at, cursor: page.cursor };
    if (found.length > 0) return { found, next: dayOf(next.at) < dayOf(oldest) ? undefined : next };
    at = next.at;
    cursor = undefined;
  }
  return { found: [], next: dayOf(at) < dayOf(oldest) ? undefined : { at } };
}

function fits({ query }: ApiCall, createdAt: EpochMs, record: RecordItem | undefined): boolean {
  const { status, type, class: wanted, code_class: codes, since, until } = query;
  if (status !== undefined && (record?.status ?? 'pending') !== status) return false;
  if (type !== undefined && record?.type !== type) return false;
  if (wanted !== undefined && record?.last?.class !== wanted) return false;
  const code = record?.last?.code;
  if (codes !== undefined && (code === undefined ? 'none' : `${Math.floor(code / 100)}xx`) !== codes) return false;
  return createdAt >= (parseIso(since ?? '') ?? 0) && createdAt <= (parseIso(until ?? '') ?? Number.POSITIVE_INFINITY);
}

/** Of a message, over the endpoints of its application: those that it was fanned out to. */
export async function listOfMessage(call: ApiCall): Promise<Reply> {
  queryOf(call, { limit: limitCheck, cursor: anyText });
  const { store, clock } = call.ports;
  const { id: app } = await applicationOf(call);
  const msg = (call.path['msg'] ?? '') as MessageId;
  const message = await store.get(messageKey(msg), 'consistent');
  if (message === undefined || message.app !== app)
    return refuse(
      404,
      'unknown_message',
      `there is no message ${msg.slice(0, 80)}: check the id (msg_…); its retention may be over`,
    );
  const cursor = openCursor<string>(call);
  const at = cursor === undefined ? {} : { cursor };
  const page = await store.query<EndpointItem>({ ...endpointsRange(app), limit: limitOf(call), ...at });
  const ids = page.items.map(({ id: ep }) => ({ ep, msg, createdAt: message.createdAt }));
  const items = await store.getMany(ids.flatMap(id => [recordKey(id), liveRowKey(id), runtimeKey(id.ep)]));
  const data = ids.flatMap((id, place) => {
    const [record, row, runtime] = items.slice(3 * place, 3 * place + 3);
    if (record === undefined && row === undefined) return [];
    const around = { type: message.type, runtime: runtime as RuntimeItem | undefined, now: clock.now() };
    return [showDelivery(id, record as RecordItem | undefined, around)];
  });
  return json(200, { data, cursor: page.cursor === undefined ? null : sealCursor(call, page.cursor) });
}

/** One exchange in full, as it was kept. */
export function showAttempt(codec: Pick<Codec, 'inflate'>, item: AttemptItem) {
  const { kind, gen, n, at, code, timings, url, requestHeaders, answerHeaders, answerBody, truncated } = item;
  const body = answerBody && codec.inflate(answerBody, 64 * 1_024);
  return {
    ...{ kind, generation: gen, attempt: n, at: toIso(at), class: item.class, code: code ?? null },
    ...{ fault: item.fault ?? null, spared: item.spared ?? null, in_words: wordsOf(item) ?? null },
    detail: item.detail ?? null,
    timings_ms: { ...timings },
    request: { url, headers: requestHeaders },
    response:
      code === undefined
        ? null
        : {
            headers: Object.fromEntries(
              Object.entries(answerHeaders ?? {}).map(([name, all]) => [name, all.join(', ')]),
            ),
            body: capText(new TextDecoder().decode(body ?? new Uint8Array()), 10_240),
            truncated: truncated ?? false,
          },
  };
}

/** Failed attempts in full, oldest first; a success as its record has it. */
export async function listAttempts(call: ApiCall): Promise<Reply> {
  queryOf(call, { limit: limitCheck, cursor: anyText });
  const { store, codec } = call.ports;
  const endpoint = await endpointOf(call);
  const msg = (call.path['msg'] ?? '') as MessageId;
  const message = await store.get(messageKey(msg), 'consistent');
  const id = { ep: endpoint.id, msg, createdAt: message?.createdAt ?? 0 };
  const record = message && (await store.get(recordKey(id), 'consistent'));
  if (record === undefined)
    return refuse(404, 'unknown_delivery', `no attempt has been made to deliver ${msg.slice(0, 80)} to this endpoint`);
  const cursor = openCursor<string>(call);
  const page = await store.query({ ...attemptsRange(endpoint.id, msg), limit: limitOf(call), ...given({ cursor }) });
  // The page before may have ended just with it.
  const isLogged = async (at: EpochMs): Promise<boolean> => {
    const range = { ...attemptsRange(endpoint.id, msg), newestFirst: true, limit: 1 };
    const items = page.items.length > 0 || cursor === undefined ? page.items : (await store.query(range)).items;
    return items.some(item => item.at === at);
  };
  const logged = page.items.map(item => showAttempt(codec, item));
  const { last, snippet } = record;
  const success =
    record.status === 'delivered' && last && page.cursor === undefined && !(await isLogged(last.at))
      ? [
          {
            ...{ kind: 'delivery', generation: record.gen, attempt: (record.attempts ?? 0) + 1, at: toIso(last.at) },
            ...{
              class: last.class,
              code: last.code ?? null,
              fault: 'none',
              spared: null,
              in_words: wordsOf({ ...last, fault: 'none' }) ?? null,
              detail: null,
              timings_ms: { total: last.ms },
              request: null,
            },
            response: { headers: {}, body: snippet ?? '', truncated: (last.bytes ?? 0) > (snippet ?? '').length },
          },
        ]
      : [];
  return json(200, {
    data: [...logged, ...success],
    cursor: page.cursor === undefined ? null : sealCursor(call, page.cursor),
  });
}
