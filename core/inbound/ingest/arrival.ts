/** A verified event on its way in: what every later step needs of it, made once and never changed. */
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import { type EpochMs, toEventPk } from '#core/glossary.ts';
import { eventKeyOf } from '#core/inbound/protocol/event-key.ts';
import type { NewEvent } from '#core/inbound/protocol/event-writes.ts';
import { keptHeaders, SIGNED_FRESH_HEADER, VERIFIED_ITEMS_HEADER } from '#core/inbound/protocol/kept-headers.ts';
import { isTooOld } from '#core/inbound/protocol/retention.ts';
import { toHex } from '#core/scan/bytes.ts';
import type { Identification } from '#core/verification/identify-request.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import type { IngestPorts, IngestRules } from './ingest-ports.ts';

export interface Arrival {
  readonly source: ResolvedSource;
  readonly event: NewEvent;
  /** What the acknowledgement names it by. */
  readonly providerEventId: string | undefined;
  readonly deflated: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Too old to be told from a repetition: it is recorded as final and never run. */
  readonly stale: boolean;
}

/** Where it came from and when. `signedFresh`: the signature covers a time of now. */
export interface Origin {
  readonly source: ResolvedSource;
  readonly request: RawRequest;
  readonly receivedAt: EpochMs;
  readonly signedFresh?: boolean;
  readonly reconciled?: true;
}

type Identified = Extract<Identification, { kind: 'event' | 'batch' }>;
type ArrivalPorts = Pick<IngestPorts, 'crypto' | 'codec' | 'ids' | 'telemetry'>;

export function arrivalOf(identified: Identified, origin: Origin, ports: ArrivalPorts, rules: IngestRules): Arrival {
  const { source, request, receivedAt, signedFresh = false, reconciled } = origin;
  const { body } = request;
  const eventAt = identified.kind === 'event' ? identified.eventAtMs : undefined;
  return {
    source,
    event: {
      pk: toEventPk(source.id, eventKeyOf(identified.key ?? ports.ids.uuid(), ports.crypto)),
      gen: 1,
      provider: source.spec.id,
      eventType: identified.eventType.slice(0, 200),
      ingestId: ports.ids.uuid(),
      bodySha: toHex(ports.crypto.hash('sha256', body)),
      size: body.length,
      receivedAt,
      ...given({ eventAt, reconciled }),
    },
    providerEventId: identified.key,
    deflated: ports.codec.deflate(body, source.spec.id),
    headers: headersOf(identified, origin, ports),
    stale: isTooOld(source.spec, { signedFresh, eventAt, receivedAt }, rules.retentionDays),
  };
}

/** The headers kept with the body; for a batch also what its items must know of the request. */
function headersOf(
  identified: Identified,
  { source, request, signedFresh }: Origin,
  { telemetry }: Pick<ArrivalPorts, 'telemetry'>,
): Readonly<Record<string, string>> {
  const headers = keptHeaders(source.spec, request.headers, request.rawQuery);
  if (identified.kind !== 'batch') return headers;
  if (signedFresh) headers[SIGNED_FRESH_HEADER] = '1';
  if (identified.refusedItems > 0) {
    headers[VERIFIED_ITEMS_HEADER] = identified.items.map(it => it.path).join(' ');
    telemetry.count('RequestRefused', { source: source.id, cause: 'item' }, identified.refusedItems);
  }
  return headers;
}
