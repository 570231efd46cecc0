import { type EventPk, splitEventPk } from '#core/glossary.ts';
import type { Telemetry } from '#core/ports.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';

/** Counts and names an event that came again with other bytes, unless its provider is known for that. */
export function noteConflict(pk: EventPk, spec: ProviderSpec | undefined, telemetry: Telemetry): void {
  if (spec?.identity.unstableBody) return;
  const { sourceId: source } = splitEventPk(pk);
  telemetry.count('PayloadMismatch', { source });
  telemetry.log('warn', { stage: 'duplicate', source, pk, cause: 'payload_mismatch' });
}
