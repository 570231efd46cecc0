/**
 * Where an attempt is in a trace. The sender's `traceparent` is kept with the event. Unless this environment records spans,
 * it is passed on as it came: who records nothing must not put itself in between (w3.org/TR/trace-context, section 3.4).
 */
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { Crypto } from '#core/ports.ts';
import { toHex } from '#core/scan/bytes.ts';
import { isSampled, ownTraceId, readTraceParent, writeTraceParent } from '#core/trace.ts';

export interface AttemptTrace {
  /** For what must be the same in every attempt. */
  readonly event: string;
  /** For calls of this attempt. */
  readonly attempt: string;
  /** What its line in the log says, of which a span is made. */
  readonly fields: Readonly<Record<string, string | number>>;
}

interface Traced {
  readonly item: Pick<EventItem, 'ingestId' | 'receivedAt'>;
  readonly claimId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Undefined: neither did the sender bring a trace, nor is one recorded here. Ids follow from those of event and claim. */
export function traceAttempt(
  { item, claimId, headers }: Traced,
  records: boolean,
  crypto: Pick<Crypto, 'hash'>,
): AttemptTrace | undefined {
  const given = readTraceParent(headers['traceparent']);
  if (!records || (given && !isSampled(given))) {
    const same = given && writeTraceParent(given);
    return same === undefined ? undefined : { event: same, attempt: same, fields: {} };
  }
  const own = hexOf(item.ingestId, crypto);
  const traceId = given?.traceId ?? ownTraceId(item);
  const flags = given?.flags ?? '01';
  const [eventSpan, span] = [own.slice(32, 48), hexOf(claimId, crypto).slice(0, 16)];
  return {
    event: writeTraceParent({ traceId, spanId: eventSpan, flags }),
    attempt: writeTraceParent({ traceId, spanId: span, flags }),
    fields: {
      trace_id: traceId,
      span_id: span,
      event_span_id: eventSpan,
      ...(given === undefined ? {} : { parent_span_id: given.spanId }),
      received_at: item.receivedAt,
    },
  };
}

/** What each line about the event says: the sender's trace, else its own. */
export const traceIdIn = (item: Pick<EventItem, 'ingestId'>, trace: AttemptTrace | undefined): string =>
  trace?.event.slice(3, 35) ?? ownTraceId(item);

function hexOf(id: string, crypto: Pick<Crypto, 'hash'>): string {
  return toHex(crypto.hash('sha256', new TextEncoder().encode(id)));
}
