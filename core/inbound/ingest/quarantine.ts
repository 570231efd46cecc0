/**
 * Refused requests kept to be looked at: in a key space of their own, so that a forged request can never occupy a real
 * event's key; in rings of fixed length per source and cause, so that a flood cannot grow them; for a few days.
 */

import { ask } from '#core/ask.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { PayloadStore } from '#core/inbound/ports.ts';
import { refusedKey } from '#core/inbound/protocol/event-item.ts';
import { expiryAfter } from '#core/inbound/protocol/event-writes.ts';
import { keptHeaders } from '#core/inbound/protocol/kept-headers.ts';
import type { Codec, Crypto, Telemetry } from '#core/ports.ts';
import { toHex } from '#core/scan/bytes.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import type { Cause } from './refusals.ts';
import type { RefusedSlots } from './refused-slots.ts';

const QUARANTINE_DAYS = 3;
const BODY_LIMIT = 16_384;

interface QuarantinePorts {
  readonly payloads: Pick<PayloadStore, 'putRefused'>;
  readonly refused: RefusedSlots;
  readonly crypto: Crypto;
  readonly codec: Codec;
  readonly telemetry: Telemetry;
}

/** What was refused, and why. `hint`: the check's own word for what was wrong. */
export interface Refusal {
  readonly cause: Cause;
  readonly hint?: string;
  readonly at: EpochMs;
}

/**
 * Keeps the request in its slot, over whatever was there: its cause and time always, headers and bytes where the source
 * does not say `quarantine: false`. Best effort: a failure is counted and changes no answer.
 */
export async function keepRefused(
  source: ResolvedSource,
  request: RawRequest,
  { cause, hint, at }: Refusal,
  ports: QuarantinePorts,
): Promise<void> {
  const slot = ports.refused.take(source.id, cause, at);
  if (slot === undefined) return;
  const { body } = request;
  const content = source.quarantine
    ? {
        bodySha: toHex(ports.crypto.hash('sha256', body)),
        headers: keptHeaders(source.spec, request.headers),
        bytes: ports.codec.deflate(body.subarray(0, BODY_LIMIT)),
      }
    : {};
  await ask({ telemetry: ports.telemetry, stage: 'quarantine', fields: { source: source.id } }, () =>
    ports.payloads.putRefused({
      ...refusedKey(source.id, cause, slot),
      cause,
      ...given({ hint }),
      refusedAt: at,
      size: body.length,
      ...content,
      expiresAt: expiryAfter(at, QUARANTINE_DAYS),
    }),
  );
}
