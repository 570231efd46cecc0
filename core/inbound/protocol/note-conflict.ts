import { type EventPk, splitEventPk, toEventId } from '#core/glossary.ts';
import type { Telemetry } from '#core/ports.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { ownTraceId } from '#core/trace.ts';
import type { ConcernBoard } from './concerns.ts';

export interface NotePorts {
  readonly telemetry: Telemetry;
  readonly concerns?: Pick<ConcernBoard, 'note'>;
}

/**
 * Counts and names an event that came again with other bytes, unless its provider is known for that. The line has what
 * `holdfast replay <event_id> --body <body_sha>` takes: the other body is kept, and a person may run it.
 */
export async function noteConflict(
  { pk, bodySha, ingestId }: { readonly pk: EventPk; readonly bodySha: string; readonly ingestId: string },
  spec: ProviderSpec | undefined,
  { telemetry, concerns }: NotePorts,
): Promise<void> {
  if (spec?.identity.unstableBody) return;
  const { sourceId: source } = splitEventPk(pk);
  telemetry.count('PayloadMismatch', { source });
  telemetry.log('warn', {
    stage: 'duplicate',
    source,
    pk,
    cause: 'payload_mismatch',
    event_id: toEventId(pk),
    body_sha: bodySha,
    trace_id: ownTraceId({ ingestId }),
  });
  await concerns?.note('conflict', pk, bodySha);
}
