/**
 * The main path of ingest. Holds invariants I1 (an acknowledged event is durable), I10 (nothing is stored before
 * verification) and I11 (a verified request gets the provider's ack, or 503, and never another 4xx).
 */

import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { methodsOf } from '#core/provider/spec-defaults.ts';
import type { Reply } from '#core/reply.ts';
import { type Identification, identifyRequest } from '#core/verification/identify-request.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import type { Verified } from '#core/verification/verdict.ts';
import { arrivalOf } from './arrival.ts';
import { authenticateRequest } from './authenticate-request.ts';
import { countRefusal } from './count-refusal.ts';
import type { IngestPorts, IngestRules } from './ingest-ports.ts';
import { keepRefused } from './quarantine.ts';
import { type RecordPorts, recordAndSend } from './record-and-send.ts';
import type { Cause } from './refusals.ts';
import { acknowledge, refuse } from './reply.ts';

/**
 * Accepts one webhook request:
 *  1. refuse what is not for this source: method, address, size;
 *  2. get the secret, answer a handshake;
 *  3. verify the raw bytes;
 *  4. identify the event;
 *  5. put the payload, and beside it note that the source is active in this hour, once for each copy of the function: until
 *     here nothing is written of an event, whoever sends it;
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

  const barred = refuseAtTheDoor(source, request, ports);
  if (barred) {
    countRefusal(source, barred, ports.telemetry);
    await keepRefused(source, request, { cause: barred, at: receivedAt }, ports);
    return refuse(barred, source);
  }

  const authenticated = await authenticateRequest(source, request, ports, receivedAt);
  if (authenticated.kind === 'reply') return authenticated.reply;

  const identified = identify(source, request, authenticated.verdict, ports);
  if (identified.kind === 'nothing') return acknowledge(source.spec, 'accepted', undefined);
  const { signedFresh = false } = authenticated.verdict;
  const arrival = arrivalOf(identified, { source, request, receivedAt, signedFresh }, ports, rules);
  const reply = await recordAndSend(arrival, ports, rules);
  const refusedItems = identified.kind === 'batch' ? identified.refusedItems : 0;
  return refusedItems > 0 ? refuseItems(reply, refusedItems) : reply;

  /**
   * What verified is recorded, and is a duplicate when it comes again. The rest may be genuine under a secret that is not
   * stored yet: an acknowledgement would be the last that anybody heard of it, so the provider keeps the request.
   */
  async function refuseItems(recorded: Reply, items: number): Promise<Reply> {
    if (recorded.status >= 300) return recorded;
    ports.telemetry.log('warn', { stage: 'refused', source: source.id, pk: arrival.event.pk, cause: 'item', items });
    await keepRefused(source, request, { cause: 'item', at: receivedAt }, ports);
    return refuse('item', source);
  }
}

/**
 * Steps 4 to 9 for an event that never arrived and was fetched from the provider's own API: its origin is what verifies
 * it. `other_event`: what was fetched is not the event that was asked for; nothing is stored.
 */
export async function acceptReconciled(
  source: ResolvedSource,
  request: RawRequest,
  providerEventId: string,
  ports: RecordPorts,
  rules: IngestRules,
): Promise<'accepted' | 'other_event' | 'unavailable'> {
  const verdict: Verified = { kind: 'verified', scheme: 'provider-api', strength: 'origin', matchedSecret: 'none' };
  const identified = identify(source, request, verdict, ports);
  if (identified.kind !== 'event' || identified.key !== providerEventId) return 'other_event';
  const origin = { source, request, receivedAt: ports.clock.now(), reconciled: true } as const;
  const reply = await recordAndSend(arrivalOf(identified, origin, ports, rules), ports, rules);
  return reply.status < 300 ? 'accepted' : 'unavailable';
}

function identify(
  { spec, settings, dedupOnBody }: ResolvedSource,
  request: RawRequest,
  verdict: Verified,
  { crypto }: Pick<IngestPorts, 'crypto'>,
): Identification {
  return identifyRequest(spec, request, { crypto, settings, dedupOnBody, verdict });
}

function refuseAtTheDoor(
  source: ResolvedSource,
  request: RawRequest,
  { addresses }: Pick<IngestPorts, 'addresses'>,
): Cause | undefined {
  if (!methodsOf(source.spec).includes(request.method)) return 'method';
  if (source.allowList && !addresses.contains(source.allowList, request.sourceIp)) return 'forbidden_source';
  if (request.body.length > source.maxBodyBytes) return 'too_large';
  return undefined;
}
