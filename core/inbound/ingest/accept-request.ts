/**
 * The main path of ingest. Holds invariants I1 (an acknowledged event is durable), I10 (nothing is stored before
 * verification) and I11 (a verified request gets the provider's ack, or 503, and never another 4xx).
 */

import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { DependencyError } from '#core/errors.ts';
import { type EpochMs, type EventKey, isEventKey, toEventPk } from '#core/glossary.ts';
import { blobKeyOf, type EventItem } from '#core/inbound/protocol/event-item.ts';
import {
  expiryAfter,
  mayBeAtWork,
  type NewEvent,
  pendingItem,
  staleItem,
  watchUnsent,
} from '#core/inbound/protocol/event-writes.ts';
import { keptHeaders, SIGNED_FRESH_HEADER, VERIFIED_ITEMS_HEADER } from '#core/inbound/protocol/kept-headers.ts';
import { noteConflict } from '#core/inbound/protocol/note-conflict.ts';
import { noteTooOld } from '#core/inbound/protocol/note-too-old.ts';
import { isTooOld, PAYLOAD_MARGIN_DAYS } from '#core/inbound/protocol/retention.ts';
import { encodeWorkMessage, WORK_MESSAGE_VERSION, type WorkMessage } from '#core/inbound/protocol/work-message.ts';
import type { Crypto } from '#core/ports.ts';
import type { Reply } from '#core/reply.ts';
import { toHex } from '#core/scan/bytes.ts';
import { type Identification, identifyRequest } from '#core/verification/identify-request.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import type { Verified } from '#core/verification/verdict.ts';
import { authenticateRequest } from './authenticate-request.ts';
import { countRefusal } from './count-refusal.ts';
import type { IngestPorts, IngestRules } from './ingest-ports.ts';
import { acknowledge, forbiddenSource, methodNotAllowed, tooLarge, unavailable } from './reply.ts';

/** The send is the last chance of an event that could not be recorded: it always has this long. */
const MIN_SEND_MS = 1_000;
/** SQS takes 1 MiB; the rest of the message needs some of it. */
const MAX_INLINE_BASE64 = 1_048_576 - 4_096 * 4;

type Event = Extract<Identification, { kind: 'event' | 'batch' }>;
/** No secrets, no addresses, no keys: what was fetched needs none of them. */
export type ReconciledPorts = Omit<IngestPorts, 'secrets' | 'keys' | 'http' | 'addresses'>;

/**
 * Accepts one webhook request:
 *  1. refuse what is not for this source: method, address, size;
 *  2. get the secret, answer a handshake;
 *  3. verify the raw bytes;
 *  4. identify the event;
 *  5. put the payload;
 *  6. put the state, on the condition that it is not there yet;
 *  7. send the message, with the payload while it is small;
 *  8. if that failed, tell the sweeper;
 *  9. answer: the ack if the event is durable, else 503.
 */
export async function acceptRequest(
  source: ResolvedSource,
  request: RawRequest,
  ports: IngestPorts,
  rules: IngestRules,
): Promise<Reply> {
  const receivedAt = ports.clock.now();
  ports.telemetry.count('Requests', { source: source.id });

  const barred = refuseAtTheDoor(source, request, ports);
  if (barred) return barred;

  const authenticated = await authenticateRequest(source, request, ports, receivedAt);
  if (authenticated.kind === 'reply') return authenticated.reply;

  const identified = identify(source, request, authenticated.verdict, ports);
  if (identified.kind === 'nothing') return acknowledge(source.spec, 'accepted', undefined);
  const { signedFresh = false } = authenticated.verdict;
  return recordAndSend(new Acceptance(source, request, identified, receivedAt, ports, rules, { signedFresh }));
}

/**
 * Steps 4 to 9 for an event that never arrived and was fetched from the provider's own API: its origin is what verifies
 * it. `other_event`: what was fetched is not the event that was asked for; nothing is stored.
 */
export async function acceptReconciled(
  source: ResolvedSource,
  request: RawRequest,
  providerEventId: string,
  ports: ReconciledPorts,
  rules: IngestRules,
): Promise<'accepted' | 'other_event' | 'unavailable'> {
  const verdict: Verified = { kind: 'verified', scheme: 'provider-api', strength: 'origin', matchedSecret: 'none' };
  const identified = identify(source, request, verdict, ports);
  if (identified.kind !== 'event' || identified.key !== providerEventId) return 'other_event';
  const accepted = new Acceptance(source, request, identified, ports.clock.now(), ports, rules, { reconciled: true });
  return (await recordAndSend(accepted)).status < 300 ? 'accepted' : 'unavailable';
}

function identify(
  { spec, settings, dedupOnBody }: ResolvedSource,
  request: RawRequest,
  verdict: Verified,
  { crypto }: Pick<IngestPorts, 'crypto'>,
): Identification {
  return identifyRequest(spec, request, { crypto, settings, dedupOnBody, verdict });
}

async function recordAndSend(accepted: Acceptance): Promise<Reply> {
  await accepted.putPayload();
  const answer = await accepted.putState();
  if (answer) return answer;
  await accepted.send();
  await accepted.noteUnsent();
  return accepted.answer();
}

function refuseAtTheDoor(source: ResolvedSource, request: RawRequest, ports: IngestPorts): Reply | undefined {
  const refuse = (cause: string, reply: Reply): Reply => {
    countRefusal(source, cause, ports.telemetry);
    return reply;
  };
  if (!(source.spec.methods as readonly string[]).includes(request.method)) {
    return refuse('method', methodNotAllowed(source.spec.methods));
  }
  if (source.allowList && !ports.addresses.contains(source.allowList, request.sourceIp)) {
    return refuse('forbidden_source', forbiddenSource());
  }
  if (request.body.length > source.maxBodyBytes) return refuse('too_large', tooLarge(source.maxBodyBytes));
  return undefined;
}

/** Steps 5 to 9 for one event, and what is known so far of where it is durable. */
class Acceptance {
  private readonly source: ResolvedSource;
  private readonly ports: ReconciledPorts;
  private readonly rules: IngestRules;
  private readonly event: NewEvent;
  private readonly providerEventId: string | undefined;
  private readonly deflated: Uint8Array;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly traceId: string | undefined;
  private readonly stale: boolean;
  /** Key of the bytes in the blob store, once they are there. */
  private ref: string | undefined;
  private payloadSafe = false;
  private recorded = false;
  private sent = false;
  private sentWhole = false;
  private duplicate = false;
  /** The older record this is a duplicate of, where it may never have been sent: the message is about it alone. */
  private known: EventItem | undefined;

  constructor(
    source: ResolvedSource,
    request: RawRequest,
    identified: Event,
    receivedAt: EpochMs,
    ports: ReconciledPorts,
    rules: IngestRules,
    { signedFresh = false, ...origin }: { readonly reconciled?: true; readonly signedFresh?: boolean } = {},
  ) {
    this.source = source;
    this.ports = ports;
    this.rules = rules;
    const bodySha = toHex(ports.crypto.hash('sha256', request.body));
    const eventKey = eventKeyOf(identified.key ?? ports.ids.uuid(), ports.crypto);
    const eventAt = identified.kind === 'event' ? identified.eventAtMs : undefined;
    this.providerEventId = identified.key;
    this.event = {
      pk: toEventPk(source.id, eventKey),
      gen: 1,
      provider: source.spec.id,
      eventType: identified.eventType.slice(0, 200),
      ingestId: ports.ids.uuid(),
      bodySha,
      size: request.body.length,
      receivedAt,
      ...(eventAt === undefined ? {} : { eventAt }),
      ...origin,
    };
    this.stale = isTooOld(source.spec, { signedFresh, eventAt, receivedAt }, rules.retentionDays);
    const headers = keptHeaders(source.spec, request.headers, request.rawQuery);
    if (identified.kind === 'batch' && signedFresh) headers[SIGNED_FRESH_HEADER] = '1';
    if (identified.kind === 'batch' && identified.refusedItems > 0) {
      headers[VERIFIED_ITEMS_HEADER] = identified.items.map(it => it.path).join(' ');
      ports.telemetry.count('RequestRejected', { source: source.id, cause: 'item' }, identified.refusedItems);
    }
    this.headers = headers;
    this.traceId = traceIdOf(request.headers);
    this.deflated = ports.codec.deflate(request.body, source.spec.id);
  }

  async putPayload(): Promise<void> {
    const { pk, bodySha } = this.event;
    if (this.deflated.length > this.rules.inlineLimitBytes) {
      const key = blobKeyOf(pk, bodySha);
      if (!(await this.within(() => this.ports.blobs.put(key, this.deflated)))) return;
      this.ref = key;
    }
    const body = this.ref === undefined ? { bytes: this.deflated } : { ref: this.ref };
    const expiresAt = expiryAfter(this.event.receivedAt, this.rules.retentionDays + PAYLOAD_MARGIN_DAYS);
    const item = { pk, sk: `B#${bodySha}`, headers: this.headers, expiresAt, ...body };
    this.payloadSafe = (await this.within(() => this.ports.payloads.putBody(item))) !== undefined;
  }

  /** An answer here ends the request: nothing is left to send. */
  async putState(): Promise<Reply | undefined> {
    if (!this.payloadSafe) return undefined;
    const now = this.ports.clock.now();
    const item = this.stale ? staleItem(this.event, now, this.rules) : pendingItem(this.event, now, this.rules.timings);
    const written = (await this.within(() => this.ports.store.insert(item)))?.value;
    if (!written) return undefined;
    this.recorded = true;
    if (written.kind === 'applied' || written.item?.ingestId === this.event.ingestId) {
      if (!this.stale) return undefined;
      noteTooOld(this.event.pk, this.ports.telemetry);
      return this.answer();
    }
    return this.meetDuplicate(written.item);
  }

  /** The event is recorded already: send it again only if it may never have been, and nobody else sees to it. */
  private meetDuplicate(known: EventItem | undefined): Reply | undefined {
    this.duplicate = true;
    this.ports.telemetry.count('Duplicate', { source: this.source.id });
    if (known && known.bodySha !== this.event.bodySha)
      noteConflict(this.event.pk, this.source.spec, this.ports.telemetry);
    if (known?.status === 'pending' && known.enqueuedAt === undefined && this.isLeftBehind(known)) {
      this.known = known;
      return undefined;
    }
    return acknowledge(this.source.spec, 'already_processed', this.providerEventId);
  }

  /** Known to be unsent, or its request is over: it may have died before its send. Until then the sweeper covers it. */
  private isLeftBehind({ receivedAt, watchAt }: EventItem): boolean {
    return watchAt !== undefined || !mayBeAtWork(receivedAt, this.ports.clock.now(), this.rules.timings);
  }

  async send(): Promise<void> {
    const message = this.message();
    if (message === undefined) return;
    const body = encodeWorkMessage(message);
    const left = this.event.receivedAt + this.rules.timings.ingestBudgetMs - this.ports.clock.now();
    this.sent =
      (await this.attempt(Math.max(left, MIN_SEND_MS), () =>
        this.ports.queue.send(body, { groupId: this.source.id }),
      )) !== undefined;
    this.sentWhole = this.sent && (message.payload !== undefined || message.ref !== undefined);
  }

  private message(): WorkMessage | undefined {
    const event: NewEvent = this.known ?? this.event;
    const { pk, gen, bodySha, provider, eventType, ingestId, size, receivedAt, eventAt, itemPath, reconciled } = event;
    const base: WorkMessage = {
      v: WORK_MESSAGE_VERSION,
      pk,
      gen,
      bodySha,
      provider,
      eventType,
      ingestId,
      size,
      receivedAt,
      ...(eventAt === undefined ? {} : { eventAt }),
      ...(itemPath === undefined ? {} : { itemPath }),
      ...(reconciled ? { reconciled } : {}),
      ...(this.stale && !this.known ? { stale: true } : {}),
      ...(this.recorded ? {} : { unrecorded: true }),
      ...(this.traceId === undefined ? {} : { traceId: this.traceId }),
    };
    if (this.known) return { ...base, again: true };
    if (this.ref !== undefined) return { ...base, ref: this.ref, headers: this.headers };
    const payload = this.ports.codec.toBase64(this.deflated);
    // Too large to travel, and not safe anywhere else: the provider must send it again.
    if (payload.length > MAX_INLINE_BASE64) return undefined;
    return { ...base, payload, headers: this.headers };
  }

  async noteUnsent(): Promise<void> {
    if (this.sent || !this.recorded) return;
    const left = this.event.receivedAt + this.rules.timings.ingestBudgetMs - this.ports.clock.now();
    if (left < 50) return;
    // A lost note costs a wait until the sweeper meets the arrival, nothing else.
    await this.attempt(left, () =>
      this.ports.store.update(watchUnsent(this.event.pk, (this.known ?? this.event).gen, this.ports.clock.now())),
    );
  }

  answer(): Reply {
    if (!this.recorded && !this.sentWhole) {
      countRefusal(this.source, 'not_recorded', this.ports.telemetry);
      return unavailable('not_recorded');
    }
    if (!this.duplicate) this.ports.telemetry.count('Accepted', { source: this.source.id });
    if (!this.recorded) this.ports.telemetry.count('UnrecordedAccepted', { source: this.source.id });
    return acknowledge(this.source.spec, this.duplicate ? 'already_processed' : 'accepted', this.providerEventId);
  }

  /** Runs a write within the shared budget of the record; undefined: it cannot be counted on. */
  private within<T>(work: () => Promise<T>): Promise<{ value: T } | undefined> {
    const left = this.event.receivedAt + this.rules.timings.recordBudgetMs - this.ports.clock.now();
    return left <= 0 ? Promise.resolve(undefined) : this.attempt(left, work);
  }

  private async attempt<T>(ms: number, work: () => Promise<T>): Promise<{ value: T } | undefined> {
    try {
      const run = await this.ports.timer.limit(ms, work);
      if (run.kind === 'finished') return { value: run.value };
      this.ports.telemetry.count('DependencyError', { dependency: 'timeout' });
    } catch (error) {
      if (!(error instanceof DependencyError)) throw error;
      this.ports.telemetry.count('DependencyError', { dependency: error.dependency });
      this.ports.telemetry.log('warn', {
        stage: 'ingest',
        source: this.source.id,
        pk: this.event.pk,
        error: error.message,
      });
    }
    return undefined;
  }
}

/** The key an event is stored under: the provider's id, or its hash where it cannot be a key. */
export function eventKeyOf(key: string, crypto: Pick<Crypto, 'hash'>): EventKey {
  return isEventKey(key) ? key : (toHex(crypto.hash('sha256', new TextEncoder().encode(key))) as EventKey);
}

function traceIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  const match =
    /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(headers['traceparent'] ?? '') ??
    /Root=([0-9a-f-]{1,64})/.exec(headers['x-amzn-trace-id'] ?? '');
  return match?.[1];
}
