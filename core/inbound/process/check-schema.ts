/** A payload against the schema its handler is registered with. Says where it breaks, never what was there. */

import { splitEventPk, toEventId } from '#core/glossary.ts';
import { type PayloadSchema, reject } from '#core/handler/handler-contract.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { Telemetry } from '#core/ports.ts';
import type { AttemptEnd } from './attempt.ts';

const PROBLEMS_TOLD = 3;

/** How the attempt ends because of it; undefined: the handler runs. */
export function checkSchema(
  schema: PayloadSchema,
  payload: unknown,
  item: EventItem,
  telemetry: Telemetry,
): AttemptEnd | undefined {
  const problems = schema.problemsOf(payload);
  if (problems.length === 0) return undefined;
  const { sourceId } = splitEventPk(item.pk);
  const told = problems.slice(0, PROBLEMS_TOLD).join(', ');
  telemetry.count('SchemaMismatch', { source: sourceId });
  switch (schema.policy) {
    case 'notice':
      telemetry.log('warn', {
        stage: 'schema',
        source: sourceId,
        event_type: item.eventType,
        event_id: toEventId(item.pk),
        cause: 'schema_mismatch',
        problems: told,
      });
      return undefined;
    case 'reject':
      return { kind: 'outcome', outcome: reject(`schema_mismatch: ${told}`), effects: [] };
    case 'dead_letter':
      return { kind: 'permanent', cause: 'schema_mismatch', message: told };
  }
}
