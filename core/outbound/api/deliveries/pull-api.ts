/**
 * An endpoint of kind pull: its owner reads what waits, and acknowledges what it was given. A cursor names the rows that
 * were given, never "all up to": a row that comes late, behind others, is given later. The model: `pull-model.ts`.
 */
import { askOrSkip } from '#core/ask.ts';
import { given } from '#core/given.ts';
import { type ApiCall, bodyOf, endpointOfKind, limitOf, queryOf } from '#core/outbound/api/api-call.ts';
import type { Placed } from '#core/outbound/ports.ts';
import { decide } from '#core/outbound/protocol/decide.ts';
import { countRead, type Delivery, recordEnd, recordUnsent } from '#core/outbound/protocol/delivery-writes.ts';
import { addToHours } from '#core/outbound/protocol/hours.ts';
import type { EndpointItem, MessageItem, RecordItem, RowItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { dueRange, messageKey, queueOf, recordKey, rowKey, runtimeKey } from '#core/outbound/protocol/keys.ts';
import { readBody } from '#core/outbound/publish/message-body.ts';
import { digits, text } from '#core/problem.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { textOf, utf8 } from '#core/scan/bytes.ts';
import { sideBySide } from '#core/side-by-side.ts';
import { MOST_BYTES, POLL_SECONDS, pollSeconds, refuseUnread, showBodied } from './feed-api.ts';

type Row = Placed<RowItem>;

/** Pages of one call: rows of what is over meanwhile are passed by. */
const PAGES_PER_CALL = 10;
const COUNTS = 3;
export const PULL_QUERY = { limit: digits(1, 100) };
export const ACK_FIELDS = { cursor: text(/^[!-~]{1,60000}$/, 'the `cursor` of an answer', 'give it as it came') };

/** What waits, the oldest message first, replays behind them; as often as it is asked, until it is acknowledged. */
export async function readPulled(call: ApiCall): Promise<Reply> {
  queryOf(call, PULL_QUERY);
  const { store, clock, telemetry } = call.ports;
  const endpoint = await endpointOfKind(call, 'pull');
  const { id: ep } = endpoint;
  const runtime = await store.get(runtimeKey(ep), 'consistent');
  if (runtime === undefined) return refuse(404, 'unknown_endpoint', 'the endpoint was deleted');
  if (runtime.gate !== 'open')
    refuse(409, 'gate_closed', `the endpoint is ${runtime.gate}: resume undoes pause, and enable undoes disable`);
  const limit = limitOf(call);
  const data: ReturnType<typeof showBodied>[] = [];
  const rows: string[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  let more = true;
  let unread = 0;
  for (let pages = 0; more && rows.length < limit && pages < PAGES_PER_CALL; pages++) {
    // 1. Rows that are due, and what is known of each.
    const page = await store.query({ ...dueRange(ep, clock.now()), limit: limit - rows.length, ...given({ cursor }) });
    cursor = page.cursor;
    more = cursor !== undefined;
    const messages = await store.getMany(page.items.map(({ msg }) => messageKey(msg)));
    const records = await store.getMany(page.items.map(({ msg, createdAt }) => recordKey({ ep, msg, createdAt })));
    for (const [at, row] of page.items.entries()) {
      const [message, record] = [messages[at], records[at]];
      // 2. As many as fit into one answer; one at least.
      if (data.length > 0 && bytes + (message?.size ?? 0) > MOST_BYTES) {
        more = false;
        break;
      }
      // 3. One that cannot be read now is in nobody's way.
      const asker = { telemetry, stage: 'read_pulled', fields: { endpoint: ep, message: row.msg } };
      const settled = await askOrSkip(asker, async () => ({
        body: await settle(call, endpoint, { row, message, record, runtime }),
      }));
      if (settled === undefined) unread += 1;
      if (settled?.body === undefined || message === undefined) continue;
      bytes += message.size;
      data.push(showBodied(message, settled.body));
      rows.push(row.sk);
    }
  }
  if (data.length === 0 && unread > 0) refuseUnread();
  const quietMs = clock.now() - (runtime.lastSuccessAt ?? endpoint.createdAt);
  return json(200, {
    data,
    cursor: data.length === 0 ? null : sealRows(call, endpoint, rows),
    next_poll_seconds: data.length > 0 || more ? POLL_SECONDS : pollSeconds(quietMs),
  });
}

interface Fact {
  readonly row: Row;
  readonly message: MessageItem | undefined;
  readonly record: RecordItem | undefined;
  readonly runtime: RuntimeItem;
}
/** The body of what is still owed; what is over ends as a session would end it (W9, W8). */
async function settle(
  { ports, rules }: ApiCall,
  { id: ep, app }: EndpointItem,
  { row, message, record, runtime }: Fact,
): Promise<Uint8Array | undefined> {
  const { store, clock, telemetry } = ports;
  const { retentionMs } = rules;
  const now = clock.now();
  const removed = message?.bodyRemovedAt !== undefined;
  const body = message === undefined || removed ? undefined : await readBody(ports, message);
  const there = removed ? 'removed' : body === undefined ? 'gone' : 'there';
  const decision = decide(row, { record, message: there, runtime, ordered: false, now, retentionMs });
  if (decision.do === 'end') {
    const type = message?.type ?? record?.type ?? row.type;
    await store.update(recordUnsent(deliveryOf({ ep, app, type, row }), decision.status, { now, retentionMs }));
    telemetry.count('EndedUnsent');
  }
  if (decision.do === 'end' || decision.do === 'delete') await store.delete(rowKey(row));
  return decision.do === 'send' ? body : undefined;
}

function deliveryOf(of: Pick<Delivery, 'ep' | 'app'> & { readonly type?: string | undefined; readonly row: RowItem }) {
  const { ep, app, type, row } = of;
  const { msg, createdAt, gen, keepMs } = row;
  return { ...{ ep, app, msg, createdAt, gen }, ...given({ type, keepMs }) } satisfies Delivery;
}

/** The rows that were given are delivered. Once more, or after somebody else: nothing is left to do. */
export async function acknowledge(call: ApiCall): Promise<Reply> {
  const { cursor } = bodyOf(call, ACK_FIELDS, ['cursor']);
  const { store, clock, telemetry } = call.ports;
  const { retentionMs } = call.rules;
  const endpoint = await endpointOfKind(call, 'pull');
  const { id: ep, app } = endpoint;
  // 1. Those of its rows that are there: where one has gone, its record was final before.
  const keys = openRows(call, endpoint, cursor).map(sk => rowKey({ pk: queueOf(ep), sk }));
  const found = await store.getMany(keys);
  // 2. For each W5, then W8: the record before the row.
  const applied = await sideBySide([...keys.entries()], async ([at, key]) => {
    const row = found[at];
    if (row === undefined) return false;
    const now = clock.now();
    const delivery = deliveryOf({ ep, app, type: row.type, row });
    const last = { at: now, ms: 0, class: 'ok' as const };
    const { kind } = await store.update(recordEnd(delivery, 'delivered', { now, retentionMs, last }));
    await store.delete(key);
    return kind === 'applied';
  });
  const acknowledged = applied.filter(Boolean).length;
  // 3. What it counts for; best effort.
  if (acknowledged > 0) {
    telemetry.count('Delivered', {}, acknowledged);
    await askOrSkip({ telemetry, stage: 'count_read', fields: { endpoint: ep } }, () =>
      count(call, endpoint, acknowledged),
    );
  }
  return json(200, { acknowledged });
}

/** W26. */
async function count({ ports }: ApiCall, { id: ep }: EndpointItem, many: number): Promise<void> {
  const { store, clock } = ports;
  let runtime = await store.get(runtimeKey(ep), 'consistent');
  for (let attempt = 1; attempt <= COUNTS && runtime !== undefined; attempt++) {
    const now = clock.now();
    const hours = addToHours(runtime.hours, now, { ok: many, fail: 0 });
    const result = await store.update(countRead(runtime, many, hours, now));
    if (result.kind === 'applied') return;
    runtime = result.item;
  }
}

/** For this endpoint alone; good for as long as the rows are there. */
const about = ({ app, id }: EndpointItem): string => `pulled ${app} ${id}`;
const sealRows = ({ ports }: ApiCall, endpoint: EndpointItem, rows: readonly string[]): string =>
  ports.sealer.seal(utf8(rows.join('\n')), about(endpoint));

/** Throws `Refused` (400) for one that was not given for this endpoint. */
function openRows({ ports }: ApiCall, endpoint: EndpointItem, cursor: string): readonly string[] {
  try {
    return (textOf(ports.sealer.open(cursor, about(endpoint))) ?? '').split('\n');
  } catch {
    return refuse(
      400,
      'invalid_cursor',
      'cursor: not one of this endpoint; read again, and give the cursor of that answer',
    );
  }
}
