/**
 * Refused requests kept for diagnosis: in a key space of their own, so that a forged request can never occupy a real
 * event's key; in a ring of fixed length per source, so that a flood cannot grow it; for a few days. Off by default.
 */

import { ask } from '#core/ask.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { PayloadStore } from '#core/inbound/ports.ts';
import { REFUSED_SLOTS, refusedKey } from '#core/inbound/protocol/event-item.ts';
import { expiryAfter } from '#core/inbound/protocol/event-writes.ts';
import { keptHeaders } from '#core/inbound/protocol/kept-headers.ts';
import type { Codec, Crypto, Telemetry } from '#core/ports.ts';
import { toHex } from '#core/scan/bytes.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';

const QUARANTINE_DAYS = 3;
const BODY_LIMIT = 16_384;

interface QuarantinePorts {
  readonly payloads: Pick<PayloadStore, 'putRefused'>;
  readonly crypto: Crypto;
  readonly codec: Codec;
  readonly telemetry: Telemetry;
}

/** Keeps the request in its slot, over whatever was there. Best effort: a failure is counted and changes no answer. */
export async function quarantineRequest(
  source: ResolvedSource,
  request: RawRequest,
  cause: string,
  nowMs: EpochMs,
  ports: QuarantinePorts,
): Promise<void> {
  const hash = ports.crypto.hash('sha256', request.body);
  const slot = ((hash[0] ?? 0) * 256 + (hash[1] ?? 0)) % REFUSED_SLOTS;
  await ask({ telemetry: ports.telemetry, stage: 'quarantine', fields: { source: source.id } }, () =>
    ports.payloads.putRefused({
      ...refusedKey(source.id, slot),
      cause,
      refusedAt: nowMs,
      bodySha: toHex(hash),
      size: request.body.length,
      headers: keptHeaders(source.spec, request.headers),
      bytes: ports.codec.deflate(request.body.subarray(0, BODY_LIMIT)),
      expiresAt: expiryAfter(nowMs, QUARANTINE_DAYS),
    }),
  );
}
