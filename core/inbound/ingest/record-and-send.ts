/**
 * Steps 5 to 9 of ingest for one verified event. Each step says what it found out, and the next one is given that: the
 * answer is decided by outcomes, never by a flag that somebody forgot to set.
 */
import { ask } from '#core/ask.ts';
import { toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { mayBeAtWork, pendingItem, staleItem, watchUnsent } from '#core/inbound/protocol/event-writes.ts';
import { noteConflict } from '#core/inbound/protocol/note-conflict.ts';
import { noteTooOld } from '#core/inbound/protocol/note-too-old.ts';
import { type BodyPlace, placeBody, putBody } from '#core/inbound/protocol/store-body.ts';
import { encodeWorkMessage, referenceTo, type WorkMessage } from '#core/inbound/protocol/work-message.ts';
import type { Reply } from '#core/reply.ts';
import { ownTraceId, readTraceParent } from '#core/trace.ts';
import type { Arrival } from './arrival.ts';
import { countRefusal } from './count-refusal.ts';
import type { IngestPorts, IngestRules } from './ingest-ports.ts';
import { acknowledge, refuse } from './reply.ts';

/** No secrets, no addresses, no keys: what is recorded needs none of them. */
export type RecordPorts = Omit<IngestPorts, 'refused' | 'secrets' | 'keys' | 'http' | 'addresses'>;

/** The send is the last chance of an event that could not be recorded: it always has this long. */
const MIN_SEND_MS = 1_000;
/** SQS takes 1 MiB; the rest of the message needs some of it. */
const MAX_INLINE_BASE64 = 1_048_576 - 4_096 * 4;

/** `ok: false`: it cannot be counted on. */
type Done<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };
const OUT_OF_TIME = { ok: false } as const;

/** `safe`: a record may be made. `place`: where the bytes are now, for a message that must carry or name them. */
interface Stored {
  readonly safe: boolean;
  readonly place: BodyPlace;
}

/**
 * `recorded`: it is ours, and a message is due. `too_old`: ours and final, nothing is due. `known`: somebody else sees to
 * it. `left_behind`: recorded by a request that may never have sent it. `unrecorded`: the message is its only trace.
 */
type Recorded =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'too_old' }
  | { readonly kind: 'known' }
  | { readonly kind: 'left_behind'; readonly item: EventItem }
  | { readonly kind: 'unrecorded' };

/** `whole`: the message is enough to make the record from. */
type Sent = 'whole' | 'by_name' | 'not_sent';

/**
 * Numbered as in accept-request.ts:
 *  5. put the payload, and beside it note that the source is active in this hour, once for each copy of the function;
 *  6. put the state, on the condition that it is not there yet;
 *  7. send the message, with the payload while it is small;
 *  8. if that failed, tell the sweeper;
 *  9. answer: the ack if the event is durable, else 503.
 */
export async function recordAndSend(arrival: Arrival, ports: RecordPorts, rules: IngestRules): Promise<Reply> {
  const [stored, isNoted] = await Promise.all([storePayload(arrival, ports, rules), noteHour(arrival, ports, rules)]);
  const recorded = await recordState(arrival, { ...stored, isNoted }, ports, rules);
  if (recorded.kind === 'too_old' || recorded.kind === 'known')
    return answer(arrival, recorded, 'not_sent', ports, rules);
  const sent = await send(arrival, stored, recorded, ports, rules);
  if (sent === 'not_sent') await noteUnsent(arrival, recorded, ports, rules);
  return answer(arrival, recorded, sent, ports, rules);
}

/** False: nobody knows, and the record is watched from the start. Half of its time is the record's, whatever becomes of the note. */
async function noteHour(arrival: Arrival, ports: RecordPorts, rules: IngestRules): Promise<boolean> {
  const { event, source, stale } = arrival;
  if (stale) return false;
  return (await withinRecord(arrival, ports, rules, () => ports.store.note(source.id, event.receivedAt), 1 / 2)).ok;
}

async function storePayload(arrival: Arrival, ports: RecordPorts, rules: IngestRules): Promise<Stored> {
  const { event, deflated, headers } = arrival;
  const body = { pk: event.pk, bodySha: event.bodySha, headers, place: { bytes: deflated } };
  const placed = await withinRecord(arrival, ports, rules, () => placeBody(body, ports, rules));
  if (!placed.ok) return { safe: false, place: body.place };
  const put = await withinRecord(arrival, ports, rules, () => putBody({ ...body, place: placed.value }, ports, rules));
  return { safe: put.ok, place: placed.value };
}

/** A record never exists without its payload. */
async function recordState(
  arrival: Arrival,
  stored: Stored & { readonly isNoted: boolean },
  ports: RecordPorts,
  rules: IngestRules,
): Promise<Recorded> {
  if (!stored.safe) return { kind: 'unrecorded' };
  const { event, stale } = arrival;
  const now = ports.clock.now();
  const item = stale ? staleItem(event, now, rules) : pendingItem(event, now, rules.timings, stored.isNoted);
  const written = await withinRecord(arrival, ports, rules, () => ports.store.insert(item));
  if (!written.ok) return { kind: 'unrecorded' };
  const there = written.value.item;
  if (written.value.kind === 'refused' && there?.ingestId !== event.ingestId)
    return meetDuplicate(arrival, there, ports, rules);
  if (!stale) return { kind: 'recorded' };
  await noteTooOld(event, ports);
  return { kind: 'too_old' };
}

/** The event is recorded already: send it again only if it may never have been, and nobody else sees to it. */
async function meetDuplicate(
  arrival: Arrival,
  item: EventItem | undefined,
  ports: RecordPorts,
  rules: IngestRules,
): Promise<Recorded> {
  const { source, event } = arrival;
  ports.telemetry.count('Duplicate', { source: source.id });
  logReceived('info', arrival, 'duplicate', ports, item);
  if (item && item.bodySha !== event.bodySha)
    await noteConflict({ ...event, ingestId: item.ingestId }, source.spec, ports);
  const unsent = item?.status === 'pending' && item.enqueuedAt === undefined;
  if (!unsent) return { kind: 'known' };
  // Watched: its send failed, its note did, or it was found unsent; or its request is over, and may have died before its
  // send. A message too many does no harm. All others the sweeper covers.
  const leftBehind = item.watchAt !== undefined || !mayBeAtWork(item.receivedAt, ports.clock.now(), rules.timings);
  return leftBehind ? { kind: 'left_behind', item } : { kind: 'known' };
}

async function send(
  arrival: Arrival,
  { place }: Stored,
  recorded: Recorded,
  ports: RecordPorts,
  rules: IngestRules,
): Promise<Sent> {
  const message = messageOf(arrival, place, recorded, ports);
  if (message === undefined) return 'not_sent';
  const body = encodeWorkMessage(message);
  const leftMs = Math.max(budgetLeft(arrival, ports, rules), MIN_SEND_MS);
  const options = { groupId: arrival.source.id };
  const sent = await within(leftMs, arrival, ports, () => ports.queue.send(body, options));
  if (!sent.ok) return 'not_sent';
  return message.payload === undefined && message.ref === undefined ? 'by_name' : 'whole';
}

/** Undefined: too large to travel, and not safe anywhere else. The provider must send it again. */
function messageOf(
  { event: arrived, headers, stale }: Arrival,
  place: BodyPlace,
  recorded: Recorded,
  { codec }: RecordPorts,
): WorkMessage | undefined {
  const event = recorded.kind === 'left_behind' ? recorded.item : arrived;
  const base: WorkMessage = {
    ...referenceTo(event),
    ...(stale && recorded.kind === 'unrecorded' ? { stale: true } : {}),
    ...(recorded.kind === 'unrecorded' ? { unrecorded: true } : {}),
  };
  if (recorded.kind === 'left_behind') return { ...base, again: true };
  if ('ref' in place) return { ...base, ref: place.ref, headers };
  const payload = codec.toBase64(place.bytes);
  return payload.length > MAX_INLINE_BASE64 ? undefined : { ...base, payload, headers };
}

/** A lost note costs a wait until the sweeper meets the arrival, nothing else. */
async function noteUnsent(arrival: Arrival, recorded: Recorded, ports: RecordPorts, rules: IngestRules): Promise<void> {
  if (recorded.kind === 'unrecorded') return;
  const leftMs = budgetLeft(arrival, ports, rules);
  if (leftMs < 50) return;
  const { pk, gen } = recorded.kind === 'left_behind' ? recorded.item : arrival.event;
  await within(leftMs, arrival, ports, () => ports.store.update(watchUnsent(pk, gen, ports.clock.now())));
}

function answer(
  arrival: Arrival,
  recorded: Recorded,
  sent: Sent,
  ports: RecordPorts,
  { logArrivals }: IngestRules,
): Reply {
  const { source, providerEventId } = arrival;
  const { telemetry } = ports;
  if (recorded.kind === 'unrecorded' && sent !== 'whole') {
    countRefusal(source, 'not_recorded', telemetry);
    return refuse('not_recorded');
  }
  if (recorded.kind === 'known' || recorded.kind === 'left_behind')
    return acknowledge(source.spec, 'already_processed', providerEventId);
  telemetry.count('Accepted', { source: source.id });
  logReceived(recorded.kind === 'recorded' && !logArrivals ? 'debug' : 'info', arrival, recorded.kind, ports);
  if (recorded.kind === 'unrecorded') telemetry.count('UnrecordedAccepted', { source: source.id });
  return acknowledge(source.spec, 'accepted', providerEventId);
}

/**
 * The line of a received event: what came, and what became of it. Of an event that is recorded for the first time the
 * record and the line of its attempt say the same, so it costs nothing there unless `logArrivals` asks for it. `there`: the
 * event that a duplicate repeats.
 */
function logReceived(
  level: 'info' | 'debug',
  { source: { id: source }, event, headers }: Arrival,
  outcome: Recorded['kind'] | 'duplicate',
  { telemetry }: RecordPorts,
  there?: EventItem,
): void {
  const { pk, eventType } = event;
  const trace_id = readTraceParent(headers['traceparent'])?.traceId ?? ownTraceId(there ?? event);
  telemetry.log(level, {
    stage: 'received',
    source,
    event_id: toEventId(pk),
    event_type: eventType,
    outcome,
    trace_id,
  });
}

function budgetLeft({ event }: Arrival, { clock }: RecordPorts, { timings }: IngestRules): number {
  return event.receivedAt + timings.ingestBudgetMs - clock.now();
}

/** A write within the shared budget of the record, or within a share of it. */
function withinRecord<T>(
  arrival: Arrival,
  ports: RecordPorts,
  { timings }: IngestRules,
  work: () => Promise<T>,
  share = 1,
): Promise<Done<T>> {
  const leftMs = arrival.event.receivedAt + timings.recordBudgetMs * share - ports.clock.now();
  return within(leftMs, arrival, ports, work);
}

/** A call that takes longer has failed: nobody knows whether it was applied. With no time left it is not made. */
async function within<T>(
  ms: number,
  { source, event }: Arrival,
  { timer, telemetry }: RecordPorts,
  work: () => Promise<T>,
): Promise<Done<T>> {
  if (ms <= 0) return OUT_OF_TIME;
  const asked = await ask({ telemetry, stage: 'ingest', fields: { source: source.id, pk: event.pk } }, () =>
    timer.limit(ms, work),
  );
  if (!asked.ok) return asked;
  if (asked.value.kind === 'finished') return { ok: true, value: asked.value.value };
  telemetry.count('DependencyError', { dependency: 'timeout' });
  return OUT_OF_TIME;
}
