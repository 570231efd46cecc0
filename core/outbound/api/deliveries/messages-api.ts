/** Messages of an application as they were published, and who would get one. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import {
  type ApiCall,
  applicationOf,
  asGiven,
  bodyOf,
  limitOf,
  listed,
  openCursor,
  PAGE_QUERY,
  queryOf,
} from '#core/outbound/api/api-call.ts';
import { anything, apiVersion, channel, listUpTo, time, typeName } from '#core/outbound/api/fields.ts';
import { eraseBodyOf } from '#core/outbound/erase/erase-body.ts';
import { mismatchOf } from '#core/outbound/fan-out/match-endpoint.ts';
import { allOf } from '#core/outbound/pages.ts';
import type { Placed } from '#core/outbound/ports.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { contentTypeOf, type MessageItem } from '#core/outbound/protocol/items.ts';
import { endpointsRange, messageKey, messagesRange } from '#core/outbound/protocol/keys.ts';
import { GRACE_MS } from '#core/outbound/protocol/timings.ts';
import { readBody } from '#core/outbound/publish/message-body.ts';
import { oneOf } from '#core/problem.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { toBase64, utf8 } from '#core/scan/bytes.ts';
import { HOUR_MS, parseIso, toHour, toIso } from '#core/time.ts';
import { unknownMessage, wasSentTo } from './deliveries-api.ts';

/** Hours that one call looks into at most. */
const HOURS_PER_CALL = 48;
/** A session sends what it read up to a second ago; another second is for copies of the table that lag. */
const ERASED_MS = 2_000;

/** As people see it. */
export function showMessage(message: MessageItem) {
  const { id, app, type, channels, mode, apiVersion: version, createdAt, size, sequence } = message;
  return {
    ...{ id, application: app, type, channels: channels ?? [], mode },
    api_version: version ?? null,
    schema_version: message.schemaVersion ?? null,
    sequence: sequence ?? null,
    ...{ size, content_type: contentTypeOf(message) },
    created_at: toIso(createdAt),
    body_erased_at: message.bodyRemovedAt === undefined ? null : toIso(message.bodyRemovedAt),
  };
}

export type MessageView = ReturnType<typeof showMessage>;

export const MESSAGE_QUERY = { type: typeName, since: time, until: time, ...PAGE_QUERY };
/** Newest first, hour by hour: a page may be short and still have a cursor. */
export async function listMessages(call: ApiCall): Promise<Reply> {
  const query = queryOf(call, MESSAGE_QUERY);
  const { ports, rules } = call;
  const { id } = await applicationOf(call);
  const now = ports.clock.now();
  const since = parseIso(query['since'] ?? '') ?? now - rules.retentionMs;
  // A time of a person may be of any year: nothing is older than this, or newer than now.
  const oldest = Math.min(Math.max(since, now - rules.retentionMs - GRACE_MS), now);
  const place = openCursor<{ at: EpochMs; cursor?: string }>(call);
  let at = place?.at ?? Math.min(parseIso(query['until'] ?? '') ?? now, now);
  let cursor = place?.cursor;
  for (let hours = 0; hours < HOURS_PER_CALL && toHour(at) >= toHour(oldest); hours++) {
    const asked = { newestFirst: true, limit: limitOf(call), ...given({ cursor }) };
    const page = await ports.store.query({ ...messagesRange(id, toHour(at)), ...asked });
    const items = page.items as readonly Placed<{ gsk: string; type?: string }>[];
    const fits = items.filter(({ gsk, type }) => {
      const created = Number(gsk.slice(0, 13));
      const wanted = query['type'] === undefined || query['type'] === type;
      return wanted && created >= since && created <= (parseIso(query['until'] ?? '') ?? now);
    });
    const next = page.cursor === undefined ? { at: at - HOUR_MS } : { at, cursor: page.cursor };
    if (fits.length > 0) {
      const found = await ports.store.getMany(fits.map(({ pk }) => messageKey(pk.slice(2) as MessageId)));
      const data = found.flatMap(item => (item ? [showMessage(item)] : []));
      const ended = toHour(next.at) < toHour(oldest);
      return listed(call, data, ended ? undefined : next);
    }
    at = next.at;
    cursor = page.cursor;
  }
  return listed(call, [], toHour(at) < toHour(oldest) ? undefined : { at });
}

/** Its own; to read one, also a broadcast that was sent to it. */
async function messageOf(call: ApiCall, to: 'read' | 'change' = 'read'): Promise<MessageItem> {
  const application = await applicationOf(call);
  const msg = (call.path['msg'] ?? '') as MessageId;
  const message = await call.ports.store.get(messageKey(msg), 'consistent');
  if (message?.app === application.id) return message;
  if (message && to === 'read' && (await wasSentTo(call.ports, application, message))) return message;
  return unknownMessage(msg, application.id);
}

export async function showOneMessage(call: ApiCall): Promise<Reply> {
  return json(200, showMessage(await messageOf(call)));
}

/** The bytes that are sent, as base64: any content type passes. */
export async function showBody(call: ApiCall): Promise<Reply> {
  const message = await messageOf(call);
  const bytes = await readBody(call.ports, message);
  if (bytes === undefined)
    return refuse(410, 'message_gone', 'the body of this message is gone: it was erased, or its retention is over');
  return json(200, { content_type: contentTypeOf(message), base64: toBase64(bytes) });
}

/**
 * Takes the body away for good, from its copies, too: deliveries that wait end as canceled, nothing is replayed. Answers
 * when no request with it can begin any more.
 */
export async function eraseBody(call: ApiCall): Promise<Reply> {
  const { store, timer } = call.ports;
  const message = await messageOf(call, 'change');
  const copies = await eraseBodyOf(call.ports, message);
  await timer.sleep(ERASED_MS);
  const now = (await store.get(messageKey(message.id), 'consistent')) ?? message;
  return json(200, { ...showMessage(now), copies_erased: copies });
}

export const MATCH_FIELDS = {
  type: typeName,
  data: anything,
  channels: listUpTo(5, channel),
  api_version: apiVersion,
  mode: oneOf('live', 'test'),
};
/** Which endpoints would get such a message, and why the others would not. Nothing is stored. */
export async function matchMessage(call: ApiCall): Promise<Reply> {
  const body = bodyOf(call, MATCH_FIELDS, ['type']);
  const { store, clock } = call.ports;
  const { id } = await applicationOf(call);
  const data = asGiven(call, 'data', body.data) ?? utf8('{}');
  const wanted = {
    ...{ type: body.type, mode: body.mode ?? ('live' as const), createdAt: clock.now() },
    ...given({ channels: body.channels, apiVersion: body.api_version }),
  };
  const found: { endpoint: string; matches: boolean; why_not: string | null }[] = [];
  for (const endpoint of await allOf(store, { ...endpointsRange(id), limit: 1_000 })) {
    if (endpoint.deletedAt !== undefined) continue;
    const mismatch = mismatchOf(endpoint, wanted, () => data);
    found.push({ endpoint: endpoint.id, matches: mismatch === undefined, why_not: mismatch ?? null });
  }
  return json(200, { matches: found.filter(({ matches }) => matches).length, endpoints: found });
}
