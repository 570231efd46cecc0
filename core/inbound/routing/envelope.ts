/**
 * What AWS targets get: a CloudEvent 1.0 in its JSON format (github.com/cloudevents/spec, v1.0.2). A JSON body is in
 * it as it came, byte for byte: no number loses digits. Nothing in it changes from attempt to attempt.
 */

import { given } from '#core/given.ts';
import type { WebhookEvent } from '#core/handler/handler-contract.ts';
import { toIso } from '#core/time.ts';
import type { TargetKind } from './target.ts';

export interface EnvelopeFacts {
  readonly event: WebhookEvent;
  readonly bodySha: string;
  readonly generation: number;
  readonly idempotencyKey: string;
  /** Of the event, the same in every attempt (CloudEvents, extension "Distributed Tracing"). */
  readonly traceparent?: string;
}

const MIB = 1_048_576;
/** Left free for what a service counts beside the text: names, a time, attributes. */
const MARGIN = 1_024;

/**
 * Bytes of UTF-8 an AWS target takes. EventBridge, Lambda (asynchronous) and SQS: 1 MB since 2025/26
 * (aws.amazon.com/blogs/compute/more-room-to-build-serverless-services-now-support-payloads-up-to-1-mb); SNS: 256 KiB
 * unless the topic says more (docs.aws.amazon.com/sns/latest/dg/large-message-payloads.html); Step Functions: 256 KiB
 * (docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html). A queue or topic may take less: it then says so.
 */
export const TEXT_LIMITS: Readonly<Record<Exclude<TargetKind, 'http' | 'outbound'>, number>> = {
  event_bus: 1_000_000 - MARGIN,
  queue: MIB - MARGIN,
  topic: 262_144 - MARGIN,
  function: 1_000_000 - MARGIN,
  state_machine: 262_144 - MARGIN,
};

/** The event with its body. */
export function wholeEnvelope(facts: EnvelopeFacts, toBase64: (bytes: Uint8Array) => string): string {
  const { bytes, headers } = facts.event;
  const given = headers['content-type'];
  if (bytes.length === 0) return seal(attributesOf(facts, given));
  const text = decodeText(bytes);
  if (text === undefined) return seal(attributesOf(facts, given), `"data_base64":"${toBase64(bytes)}"`);
  // What ingest lets through under these types is JSON, or the event would be a dead letter by now.
  const type = (given ?? 'application/json').toLowerCase();
  if (type.includes('json')) return seal(attributesOf(facts, given ?? 'application/json'), `"data":${text}`);
  if (type.startsWith('text/plain')) return seal(attributesOf(facts, 'application/json'), `"data":${text}`);
  return seal(attributesOf(facts, given), `"data":${JSON.stringify(text)}`);
}

/** The event without its body, which lies at `dataref` byte for byte. */
export function referenceEnvelope(facts: EnvelopeFacts, dataref: string): string {
  return seal({ ...attributesOf(facts, facts.event.headers['content-type']), dataref });
}

function attributesOf(
  { event, bodySha, generation, idempotencyKey, traceparent }: EnvelopeFacts,
  contentType: string | undefined,
) {
  return {
    specversion: '1.0',
    id: event.id,
    source: `holdfast:${event.source}`,
    type: event.type,
    // Where the provider gave no time there is none: arrival is another attribute.
    ...(event.timeIsArrival === true ? {} : { time: toIso(event.time) }),
    ...given({ subject: event.subject, datacontenttype: contentType }),
    provider: event.provider,
    receivedtime: toIso(event.receivedAt),
    generation,
    idempotencykey: idempotencyKey,
    bodysha256: bodySha,
    bodysize: event.bytes.length,
    ...given({ traceparent }),
  };
}

/** SQS and SNS take no U+FFFE and U+FFFF; in JSON they can only be in a text, where an escape means the same. */
function seal(attributes: Readonly<Record<string, unknown>>, data?: string): string {
  const head = JSON.stringify(attributes);
  const whole = data === undefined ? head : `${head.slice(0, -1)},${data}}`;
  return whole.replace(/[\ufffe\uffff]/g, character => `\\u${character.charCodeAt(0).toString(16)}`);
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
