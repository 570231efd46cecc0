import { type EventPk, splitEventPk } from '../glossary.ts';
import type { Telemetry } from '../ports.ts';
import type { ProviderSpec } from './provider-spec.ts';

/** Counts and names an event that came again with other bytes, unless its provider is known for that. */
export function noteConflict(pk: EventPk, spec: ProviderSpec | undefined, telemetry: Telemetry): void {
  if (spec?.identity.unstableBody) return;
  const { sourceId: source } = splitEventPk(pk);
  telemetry.count('PayloadMismatch', { source });
  telemetry.log('warn', { stage: 'duplicate', source, pk, cause: 'payload_mismatch' });
}
