/** The HTTP answers of ingest. */
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { ackOf } from '#core/provider/spec-defaults.ts';
import { json, type Reply } from '#core/reply.ts';
import { type Cause, REFUSALS } from './refusals.ts';

/** The provider's own acknowledgement where its spec has one, else the product's. */
export function acknowledge(
  spec: ProviderSpec,
  status: 'accepted' | 'already_processed',
  providerEventId: string | undefined,
): Reply {
  const ack = ackOf(spec);
  if (ack.body !== undefined) {
    return {
      status: ack.status,
      headers: ack.contentType === undefined ? {} : { 'content-type': ack.contentType },
      body: ack.body,
    };
  }
  return json(ack.status, { status, ...given({ event_id: providerEventId }) });
}

/** Causes that are answered without knowing the source. */
type Sourceless = 'not_through_edge' | 'unknown_source' | 'internal_error' | 'secret_unreadable' | 'not_recorded';

/** The answer to a refused request. */
export function refuse(cause: Sourceless): Reply;
export function refuse(cause: Cause, source: ResolvedSource): Reply;
export function refuse(cause: Cause, source?: ResolvedSource): Reply {
  const { status, error, message, headers } = REFUSALS[cause];
  const known = source as ResolvedSource;
  const ack = source && ackOf(source.spec);
  if (ack && status === 'spec' && ack.rejectBody !== undefined)
    return { status: ack.rejectStatus, headers: {}, body: ack.rejectBody };
  const isOwn = status === 'spec' || (status === 403 && ack?.givesUpOn403);
  return json(
    isOwn ? ackOf(known.spec).rejectStatus : status,
    { error, message: typeof message === 'string' ? message : message(known) },
    headers?.(known),
  );
}
