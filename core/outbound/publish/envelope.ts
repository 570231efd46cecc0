/**
 * The body of a message, built once, at publish. What is stored is what is signed is what is sent: `data` goes in byte for
 * byte as the producer gave it, so that no number loses a digit.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { Format, Mode } from '#core/outbound/protocol/items.ts';
import { toIso } from '#core/time.ts';

export interface EnvelopeInput {
  readonly id: string;
  readonly type: string;
  /** The message's own time. */
  readonly at: EpochMs;
  readonly apiVersion?: string | undefined;
  readonly subject?: string | undefined;
  readonly sequence?: string | undefined;
  readonly mode: Mode;
  /** The application's id: the source of a CloudEvent. */
  readonly app: string;
  readonly key: string;
  /** The producer's own request that led to it; only the format `object` shows it. */
  readonly requestId?: string | undefined;
  /** Endpoints that match now; only the format `object` shows it. Undefined: left out, as of a broadcast. */
  readonly pendingWebhooks?: number | undefined;
  /** JSON text, as given. */
  readonly data: Uint8Array;
}
export interface Envelope {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Where the value of `data` begins; it ends one byte before the body does. */
  readonly dataAt: number;
}

/** The members before `data`, by format; an undefined one is left out. */
const HEADS: Readonly<Record<Exclude<Format, 'raw'>, (from: EnvelopeInput) => Readonly<Record<string, unknown>>>> = {
  standard: ({ id, type, at, apiVersion, subject, sequence }) => ({
    id,
    type,
    timestamp: toIso(at),
    api_version: apiVersion,
    subject,
    sequence,
  }),
  plain: ({ id, type, at, apiVersion, subject, sequence }) => ({
    id,
    type,
    api_version: apiVersion ?? null,
    created_at: toIso(at),
    subject,
    sequence,
  }),
  object: ({ id, type, at, apiVersion, mode, key, requestId, pendingWebhooks, sequence }) => ({
    id,
    object: 'event',
    api_version: apiVersion ?? null,
    created: Math.floor(at / 1_000),
    type,
    livemode: mode === 'live',
    pending_webhooks: pendingWebhooks,
    request: { id: requestId ?? null, idempotency_key: key },
    sequence,
  }),
  cloudevents: ({ id, type, at, app, subject, sequence }) => ({
    specversion: '1.0',
    id,
    source: app,
    type,
    time: toIso(at),
    datacontenttype: 'application/json',
    subject,
    sequence,
  }),
};
const CONTENT_TYPES: Readonly<Record<Exclude<Format, 'raw'>, string>> = {
  standard: 'application/json',
  plain: 'application/json',
  object: 'application/json',
  cloudevents: 'application/cloudevents+json',
};

/** The envelope of every format but `raw`. */
export function buildEnvelope(format: Exclude<Format, 'raw'>, from: EnvelopeInput): Envelope {
  const head = JSON.stringify(HEADS[format](from));
  const before = new TextEncoder().encode(`${head.slice(0, -1)},"data":`);
  const bytes = new Uint8Array(before.length + from.data.length + 1);
  bytes.set(before);
  bytes.set(from.data, before.length);
  bytes[bytes.length - 1] = 0x7d;
  return { bytes, contentType: CONTENT_TYPES[format], dataAt: before.length };
}

const DATA_MEMBER = ',"data":'.length;

/** The same body without `data`; a raw one has none and stays whole. */
export function thinBody(body: Uint8Array, dataAt: number | undefined): Uint8Array {
  if (dataAt === undefined) return body;
  const thin = new Uint8Array(dataAt - DATA_MEMBER + 1);
  thin.set(body.subarray(0, thin.length - 1));
  thin[thin.length - 1] = 0x7d;
  return thin;
}

/** The value of `data`; of a raw body, all of it. */
export function dataOf(body: Uint8Array, dataAt: number | undefined): Uint8Array {
  return dataAt === undefined ? body : body.subarray(dataAt, body.length - 1);
}
