/** What a body says of itself, for a replay with another one than the record was made from. */

import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import type { EventIn } from '#core/inbound/protocol/event-item.ts';
import { QUERY_HEADER } from '#core/inbound/protocol/kept-headers.ts';
import type { Crypto } from '#core/ports.ts';
import { identifyRequest } from '#core/verification/identify-request.ts';
import type { Verified } from '#core/verification/verdict.ts';

/** It was verified when it came; by what does not matter here. */
const VERDICT: Verified = { kind: 'verified', scheme: 'stored', strength: 'origin', matchedSecret: 'none' };

/**
 * The record with type, time and size of the body it names now. As it is where they cannot be read: an item of a request
 * with many, or a source that is gone or of another provider.
 */
export function describeByBody(
  item: EventIn<'processing'>,
  body: { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> },
  source: Pick<ResolvedSource, 'spec' | 'settings' | 'dedupOnBody'> | undefined,
  crypto: Pick<Crypto, 'hash'>,
): EventIn<'processing'> {
  if (item.itemPath !== undefined || source?.spec.id !== item.provider) return item;
  const request = { body: body.bytes, headers: body.headers, rawQuery: body.headers[QUERY_HEADER] ?? '' };
  const { settings, dedupOnBody } = source;
  const found = identifyRequest(source.spec, request, { crypto, settings, dedupOnBody, verdict: VERDICT });
  if (found.kind === 'nothing') return item;
  const { eventAt: _, ...rest } = item;
  const eventAt = found.kind === 'event' ? found.eventAtMs : undefined;
  return { ...rest, eventType: found.eventType, size: body.bytes.length, ...given({ eventAt }) };
}
