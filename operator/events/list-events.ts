/** The events a person means, page after page, and how far back was looked. */
import { receivedSources } from '#core/config/received-sources.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import {
  type EventFilter,
  type ReadFilter,
  readFilter,
  type WrittenFilter,
} from '#core/inbound/search/event-filter.ts';
import { EventSearch } from '#core/inbound/search/list-events.ts';
import type { Operator } from '#operator/operator.ts';

const PAGE = 100;

/** A filter as a person wrote it, read and checked; every problem says what was given, what is allowed, what to do. */
export function readMeant(operator: Operator, written: WrittenFilter, now = operator.clock.now()): ReadFilter {
  // The probe's events are shown to who asks for them by name.
  const named = receivedSources(operator.deployment).map(each => each.source.id);
  return readFilter(written, written.source === undefined ? operator.sourceIds : named, now);
}

export interface ListRequest {
  readonly limit: number;
  /** Where a list before ended. */
  readonly cursor?: string | undefined;
  /** Answer then with what was found, epoch ms. Default: look through the whole window. */
  readonly until?: EpochMs | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told how many were found while there is more to do. */
  readonly onProgress?: ((found: number) => void) | undefined;
}

export interface EventList {
  readonly items: readonly EventItem[];
  /** Go on with it. Absent: the window was looked through. */
  readonly cursor: string | undefined;
  /** Everything received after was looked at. */
  readonly lookedTo: EpochMs;
}

/** Newest first. A list may be short, or empty, and still have a cursor: it stopped looking, there may be more. */
export async function listEvents(operator: Operator, filter: EventFilter, request: ListRequest): Promise<EventList> {
  const { limit, until = Number.POSITIVE_INFINITY, signal, onProgress } = request;
  const search = new EventSearch(filter, 'newest', await operator.gateway());
  const items: EventItem[] = [];
  let [cursor, lookedTo] = [request.cursor, filter.until];
  do {
    const page = await search.page({ limit: Math.min(PAGE, limit - items.length), cursor });
    items.push(...page.items);
    cursor = page.cursor;
    lookedTo = page.lookedTo ?? filter.since;
    if (items.length < limit && cursor !== undefined) onProgress?.(items.length);
  } while (items.length < limit && cursor !== undefined && operator.clock.now() < until && !signal?.aborted);
  return { items, cursor, lookedTo };
}
