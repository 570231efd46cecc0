import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { given } from '#core/given.ts';
import { type EventKey, isEventKey, toEventId, toEventPk, toSourceId } from '#core/glossary.ts';
import type { WebhookEvent } from '#core/handler/handler-contract.ts';
import { parsePayload } from '#core/inbound/process/parse-payload.ts';
import { subjectOf } from '#core/inbound/process/subject-of.ts';
import { itemHeaders, keptHeaders } from '#core/inbound/protocol/kept-headers.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { schemeId, strengthOf } from '#core/provider/spec-defaults.ts';
import { type Identification, identifyRequest } from '#core/verification/identify-request.ts';
import { providerById } from '#providers/index.ts';
import { encodeBody, lowerCased, type WebhookBody } from './webhook-body.ts';

/** The request that a test event is made from. Only `body` is required. */
export interface TestEventInput {
  /** The id of a file in providers/, or a spec of your own. @default 'generic' */
  readonly provider?: string | ProviderSpec;
  /** The body the provider sends. */
  readonly body: WebhookBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** The source's name in gateway.config.ts. @default the provider's id */
  readonly source?: string;
  /** The provider's id of the event. @default as the provider's spec reads it from the request */
  readonly id?: string;
  /** The event type. @default as the provider's spec reads it from the request */
  readonly type?: string;
  /** What the event is about. @default as the provider's spec reads it from the request */
  readonly subject?: string;
  /**
   * When it happened, as a date or in epoch milliseconds. @default as the provider's spec reads it from the request, else
   * `receivedAt`, and `timeIsArrival` is set
   */
  readonly time?: Date | number;
  /** When it arrived, as a date or in epoch milliseconds. @default now */
  readonly receivedAt?: Date | number;
  /** If the request carries several events: which one, counted from 0. @default 0 */
  readonly item?: number;
}

/**
 * Makes the event that a handler would get for this request. As in the gateway, the provider's spec says where id, type
 * and time are, and only the headers that the gateway keeps are there. Throws RangeError for an unknown provider, for a
 * body that no handler would ever see, and for an `item` that the request does not have.
 * @example
 * const made = createTestEvent({ provider: 'stripe', body: { id: 'evt_1', type: 'invoice.paid', created: 1_790_000_000 } });
 */
export function createTestEvent(input: TestEventInput): WebhookEvent {
  const { provider = 'generic', item = 0 } = input;
  const spec = typeof provider === 'string' ? providerById(provider) : provider;
  const { bytes: body, contentType } = encodeBody(input.body);
  const headers = { 'content-type': contentType, ...lowerCased(input.headers ?? {}) };
  const found = describe(identify(spec, body, headers), item, body);
  const receivedAt = Number(input.receivedAt ?? Date.now());
  const source = toSourceId(input.source ?? spec.id);
  const kept = keptHeaders(spec, headers);
  // An event out of a batch is JSON by itself.
  const eventHeaders = found.bytes === body ? kept : itemHeaders(kept, found);
  const parsed = parsePayload(found.bytes, eventHeaders['content-type']);
  if (parsed.kind === 'unparsable') throw new RangeError(`No handler sees this event: ${parsed.reason}`);
  const place = found.bytes === body ? {} : { itemPath: '[]' };
  const subject = input.subject ?? subjectOf(place, { ...found, headers: eventHeaders }, { spec, settings: {} });
  const key = toKey(input.id ?? found.key);
  const time = input.time ?? found.eventAtMs;
  return {
    id: toEventId(toEventPk(source, key)),
    source,
    provider: spec.id,
    type: input.type ?? found.eventType,
    time: Number(time ?? receivedAt),
    ...(time === undefined ? { timeIsArrival: true } : {}),
    ...given({ subject }),
    receivedAt,
    bytes: found.bytes,
    payload: parsed.value,
    headers: eventHeaders,
    attempt: 1,
    generation: 1,
    idempotencyKey: `${source}:${key}:1`,
  };
}

interface Found {
  readonly key: string | undefined;
  readonly eventType: string;
  readonly eventAtMs?: number;
  readonly subject?: string;
  readonly bytes: Uint8Array;
}

/** As ingest does after the signature was right. */
export function identify(
  spec: ProviderSpec,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Identification {
  const [first] = spec.verify;
  const scheme = first === undefined ? 'none' : schemeId(first, spec);
  const verdict = { kind: 'verified', scheme, strength: strengthOf(spec), matchedSecret: 'current' } as const;
  const options = { crypto: nodeCrypto, settings: {}, dedupOnBody: false, verdict };
  return identifyRequest(spec, { method: 'POST', rawQuery: '', headers, body }, options);
}

function describe(identified: Identification, item: number, body: Uint8Array): Found {
  if (identified.kind === 'event') return { ...identified, bytes: body };
  const items = identified.kind === 'batch' ? identified.items : [];
  const found = items[item];
  if (!found)
    throw new RangeError(
      `The request has ${items.length} events, and none at \`item: ${item}\`; the first one is item 0`,
    );
  return found;
}

/** An event without an id of its own gets a fresh one each time, as in the gateway. */
function toKey(key: string | undefined): EventKey {
  const text = key ?? crypto.randomUUID();
  if (!isEventKey(text))
    throw new RangeError(
      `"${text.slice(0, 80)}" is not an event id: give 1 to 256 printable ASCII characters without spaces`,
    );
  return text;
}
