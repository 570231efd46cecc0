/**
 * A feed to poll, for whoever runs no server: an application's messages with their bodies, oldest first, each at least once.
 * It goes by the index of messages, which lags, and by the clocks of those who published, so it ends before now: behind its
 * end nothing can appear. The model: `feed-model.ts`.
 */
import { ask } from '#core/ask.ts';
import { type ApiCall, applicationOf, limitOf, queryOf } from '#core/outbound/api/api-call.ts';
import { typeName } from '#core/outbound/api/fields.ts';
import { pagesOf } from '#core/outbound/pages.ts';
import type { Placed } from '#core/outbound/ports.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { contentTypeOf, type MessageItem } from '#core/outbound/protocol/items.ts';
import { messageKey, messagesRange } from '#core/outbound/protocol/keys.ts';
import { readBody } from '#core/outbound/publish/message-body.ts';
import { digits, text } from '#core/problem.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { toBase64 } from '#core/scan/bytes.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, toHour, toIso } from '#core/time.ts';

/** What was published before is in the index: 90 s for two clocks, and 30 s until it is written and the index shows it. */
export const SETTLED_MS = 2 * MINUTE_MS;
/** Hours that one call looks into at most. */
const HOURS_PER_CALL = 48;
export const MOST_BYTES = 1_048_576;
/** Seconds until it is asked again, by how long nothing came. */
export const POLL_SECONDS = 1;
const IDLE_POLL_SECONDS = 30;

/** A place behind which the next message lies: its time and its id, or a time alone. */
const PLACE = /^\d{13}(?:#msg_[0-9a-z]{26})?$/;
export const FEED_QUERY = {
  after: text(PLACE, 'the `after` of the answer before', 'leave it out to begin with the oldest message'),
  type: typeName,
  limit: digits(1, 100),
};

export async function readFeed(call: ApiCall): Promise<Reply> {
  const query = queryOf(call, FEED_QUERY);
  const { ports, rules } = call;
  const { store, clock } = ports;
  const { id, createdAt } = await applicationOf(call);
  const now = clock.now();
  const to = now - SETTLED_MS;
  // By another clock, its first message may be older than itself.
  const first = Math.max(createdAt - SETTLED_MS, now - rules.retentionMs);
  const after = query['after'] ?? String(first).padStart(13, '0');
  const limit = limitOf(call);
  let at = Math.max(first, Number(after.slice(0, 13)));
  // 1. The next ones, hour by hour.
  let found: readonly string[] = [];
  for (let hours = 0; hours < HOURS_PER_CALL && at <= to && found.length < limit; hours++) {
    const range = messagesRange(id, toHour(at), { from: at, to });
    for await (const page of pagesOf(store, { ...range, limit: limit + 1 })) {
      const items = page as readonly Placed<{ gsk: string; type?: string }>[];
      const next = items.filter(({ gsk }) => gsk > after);
      const wanted = next.filter(({ type }) => query['type'] === undefined || query['type'] === type);
      found = [...found, ...wanted.map(({ gsk }) => gsk)];
      if (found.length > limit) break;
    }
    at = (Math.floor(at / HOUR_MS) + 1) * HOUR_MS;
  }
  let more = found.length > limit || at <= to;
  // 2. Their bodies, as many as fit into one answer; one at least.
  const data: ReturnType<typeof showBodied>[] = [];
  let bytes = 0;
  let last: string | undefined;
  const places = found.slice(0, limit);
  const messages = await store.getMany(
    places.map(place => messageKey(place.slice(14) as MessageId)),
    'eventual',
  );
  for (const [n, place] of places.entries()) {
    const message = messages[n];
    if (message !== undefined && data.length > 0 && bytes + message.size > MOST_BYTES) {
      more = true;
      break;
    }
    const body = message === undefined || message.only !== undefined ? undefined : await bodyNow(call, message);
    // Nobody goes on behind it: what lies before it is given.
    if (body === 'not now' && last === undefined) return refuseUnread();
    if (body === 'not now') {
      more = true;
      break;
    }
    last = place;
    if (message === undefined || message.only !== undefined) continue;
    bytes += message.size;
    data.push(showBodied(message, body));
  }
  // 3. Where the next call begins: nothing lies between it and what was given.
  const end = String(Math.min(at - 1, to)).padStart(13, '0');
  const next = last !== undefined && (more || last > end) ? last : end;
  const isIdle = data.length === 0 && !more;
  return json(200, {
    data,
    after: next > after ? next : after,
    next_poll_seconds: isIdle ? pollSeconds(now - SETTLED_MS - Number(after.slice(0, 13))) : POLL_SECONDS,
  });
}

/** Undefined: it was erased, or is damaged: after a day nobody expects that back, and no reader waits for it any longer. */
async function bodyNow({ ports }: ApiCall, message: MessageItem): Promise<Uint8Array | 'not now' | undefined> {
  const { telemetry, clock } = ports;
  const asker = { telemetry, stage: 'read_feed', fields: { id: message.id } };
  const asked = await ask(asker, () => readBody(ports, message)).catch(() => undefined);
  if (asked !== undefined) return asked.ok ? asked.value : 'not now';
  telemetry.count('OwnFault');
  telemetry.log('error', { message: 'a stored body cannot be read', id: message.id });
  return clock.now() - message.createdAt < DAY_MS ? 'not now' : undefined;
}

export function refuseUnread(): never {
  const told = 'what waits cannot be read now: send the request again; repeating a request does no harm';
  return refuse(503, 'not_recorded', told);
}

/** The longer nothing came, the later it is asked again. */
export const pollSeconds = (quietMs: number): number =>
  Math.min(IDLE_POLL_SECONDS, Math.max(POLL_SECONDS, Math.floor(quietMs / 1_000) * 2));

/** A message with its body, which is null where it is gone. */
export function showBodied(message: MessageItem, body: Uint8Array | undefined) {
  const { id, type, createdAt } = message;
  const erased = body === undefined || message.bodyRemovedAt !== undefined;
  return {
    ...{ id, type, created_at: toIso(createdAt), content_type: contentTypeOf(message) },
    base64: erased ? null : toBase64(body),
  };
}
