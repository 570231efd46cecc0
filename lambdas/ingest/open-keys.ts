/** What only sources with published keys need: the fetcher, and the places that verified requests before. */
import { DynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { CachedKeyFetcher } from '#adapters/http/key-fetcher.ts';
import { systemClock, systemIds } from '#adapters/system.ts';
import { KeyPlaces } from '#core/inbound/ingest/key-places.ts';
import type { KeyFetcher } from '#core/ports.ts';

export function openKeys(
  dynamodb: ConstructorParameters<typeof DynamoDbControlStore>[0],
  eventsTable: string,
): KeyFetcher {
  const places = new KeyPlaces(new DynamoDbControlStore(dynamodb, eventsTable, systemIds));
  return new CachedKeyFetcher({ clock: systemClock, places });
}
