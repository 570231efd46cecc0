/** The HTTP answers of ingest. Refusals say nothing about why: the cause is a counter, not a hint for an attacker. */
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { json, type Reply } from '#core/reply.ts';

/** The provider's own acknowledgement where its spec has one, else the product's. */
export function acknowledge(
  spec: ProviderSpec,
  status: 'accepted' | 'already_processed',
  providerEventId: string | undefined,
): Reply {
  const { ack } = spec;
  if (ack.body !== undefined) {
    return {
      status: ack.status,
      headers: ack.contentType === undefined ? {} : { 'content-type': ack.contentType },
      body: ack.body,
    };
  }
  return json(ack.status, { status, ...(providerEventId === undefined ? {} : { event_id: providerEventId }) });
}

/** One answer for every failed verification. */
export function refuseSignature(spec: ProviderSpec): Reply {
  if (spec.ack.rejectBody !== undefined)
    return { status: spec.ack.rejectStatus, headers: {}, body: spec.ack.rejectBody };
  return json(spec.ack.rejectStatus, { error: 'invalid_signature', message: 'HMAC signature verification failed' });
}

export function forbiddenSource(): Reply {
  return json(403, {
    error: 'forbidden_source',
    message: 'The source address is not on the allow-list of this source',
  });
}

/** Where only what comes through the edge counts. */
export function notThroughEdge(): Reply {
  return json(403, {
    error: 'not_through_edge',
    message: 'This address takes no webhooks; use the URL you were given',
  });
}

/** A secret was brought while the source takes none: its pairing window is closed, or it has one. */
export function refusePairing(): Reply {
  return json(403, { error: 'pairing_closed', message: 'This source takes no secret now' });
}

export function tooLarge(limitBytes: number): Reply {
  return json(413, {
    error: 'body_too_large',
    message: `The body is larger than the ${limitBytes} bytes this source accepts`,
  });
}

export function methodNotAllowed(allowed: readonly string[]): Reply {
  return json(
    405,
    { error: 'method_not_allowed', message: `Use ${allowed.join(' or ')}` },
    { allow: allowed.join(', ') },
  );
}

export function unknownSource(): Reply {
  return json(404, { error: 'unknown_source', message: 'No source is configured at this path' });
}

/**
 * A key that nobody has used here yet, and no time to ask for it: genuine or not, the sender should try again. No 5xx:
 * anybody can bring it about, and 5xx wake people.
 */
export function keyNotKnownYet(): Reply {
  return json(
    429,
    { error: 'key_not_known_yet', message: 'The key of this request could not be looked up now; send it again' },
    { 'retry-after': '30' },
  );
}

/** The provider should try again: nothing durable happened, or the source is not ready. */
export function unavailable(
  error: 'not_recorded' | 'secret_not_set' | 'secret_unreadable' | 'key_unreachable' | 'not_paired' | 'not_confirmed',
): Reply {
  return json(503, { error, message: 'The event was not accepted; send it again' }, { 'retry-after': '30' });
}

export function internalError(): Reply {
  return json(500, { error: 'internal_error', message: 'The event was not accepted; send it again' });
}
