/**
 * Refused requests kept for diagnosis: in a key space of their own, so that a forged request can never occupy a real
 * event's key; in a ring of fixed length per source, so that a flood cannot grow it; for a few days. Off by default.
 */
import { DependencyError } from '../errors.ts';
import { REFUSED_SLOTS, refusedKey } from '../event-item.ts';
import type { EpochMs } from '../glossary.ts';
import type { Codec, Crypto, PayloadStore, Telemetry } from '../ports.ts';
import type { ResolvedSource } from '../resolved-config.ts';
import { expiryAfter } from './event-writes.ts';
import { keptHeaders } from './kept-headers.ts';
import type { RawRequest } from './raw-request.ts';
import { toHex } from './text.ts';

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
  try {
    await ports.payloads.putRefused({
      ...refusedKey(source.id, slot),
      cause,
      refusedAt: nowMs,
      bodySha: toHex(hash),
      size: request.body.length,
      headers: keptHeaders(source.spec, request.headers),
      bytes: ports.codec.deflate(request.body.subarray(0, BODY_LIMIT)),
      expiresAt: expiryAfter(nowMs, QUARANTINE_DAYS),
    });
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    ports.telemetry.count('DependencyError', { dependency: error.dependency });
  }
}
