/** What only an event that a person should hear of needs: where such events are written down. */
import { DynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import { ConcernBoard } from '#core/inbound/protocol/concerns.ts';
import type { Telemetry } from '#core/ports.ts';

export function openConcerns(
  dynamodb: ConstructorParameters<typeof DynamoDbControlStore>[0],
  eventsTable: string,
  telemetry: Telemetry,
): ConcernBoard {
  const control = new DynamoDbControlStore(dynamodb, eventsTable, systemIds);
  return new ConcernBoard({ control, clock: systemClock, timer: systemTimer, telemetry });
}
