import { type EventPk, splitEventPk } from '#core/glossary.ts';
import { ownTraceId } from '#core/trace.ts';
import type { NotePorts } from './note-conflict.ts';
import { TOO_OLD } from './retention.ts';

/** Names an event that was recorded and not run for its age: a person hears of the first, and may replay it. */
export async function noteTooOld(
  event: { readonly pk: EventPk; readonly ingestId: string },
  { telemetry, concerns }: NotePorts,
): Promise<void> {
  const { pk } = event;
  const { sourceId: source } = splitEventPk(pk);
  telemetry.log('warn', {
    stage: 'skipped',
    source,
    pk,
    cause: 'too_old',
    action_taken: TOO_OLD,
    trace_id: ownTraceId(event),
  });
  await concerns?.note('too_old', pk);
}
