/** What most copies of ingest never need, as one file of the bundle: read with the first request that asks for it. */
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { httpsGet } from '#adapters/http/https-get.ts';
import { CachedKeyFetcher } from '#adapters/http/key-fetcher.ts';
import { systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import { keyPlaces } from '#core/inbound/ingest/key-places.ts';
import { ConcernBoard } from '#core/inbound/protocol/concerns.ts';
import type { KeyFetcher, Telemetry } from '#core/ports.ts';

// Who fetches keys needs these, too. And what only two of three files share is a file of its own, which every start reads.
export * from '#adapters/crypto/public-keys.ts';
export * from '#adapters/http/fetch-guarded.ts';
export * from '#core/verification/on-demand.ts';

type Client = Parameters<typeof dynamoDbControlStore>[0];

/** For sources with published keys: the fetcher, and the places that verified requests before. */
export function openKeys(dynamodb: Client, eventsTable: string): KeyFetcher {
  const places = keyPlaces(dynamoDbControlStore(dynamodb, eventsTable, systemIds));
  return new CachedKeyFetcher({ clock: systemClock, places });
}

/** For an event that a person should hear of: where such events are written down. */
export function openConcerns(dynamodb: Client, eventsTable: string, telemetry: Telemetry): ConcernBoard {
  const control = dynamoDbControlStore(dynamodb, eventsTable, systemIds);
  return new ConcernBoard({ control, clock: systemClock, timer: systemTimer, telemetry });
}

/** For a handshake that is confirmed by a call: the status of the answer. */
export const confirm = (url: string): Promise<number> => httpsGet().get(url);
