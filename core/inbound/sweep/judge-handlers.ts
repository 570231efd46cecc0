/** Does a handler only fail? Without a rate: four events an hour count like four thousand. */
import type { EpochMs } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';

/** One event that fails may be a bad event; two without a success between them are a bad handler. */
const EVENTS = 2;
/** How an attempt ends that is no failure: by the handler's decision, or for a reason that is not the handler's. */
const NO_FAILURE = new Set(['ok', 'rejected', 'ignored', 'skipped_stale', 'deferred']);

export interface OnlyFails {
  readonly since: EpochMs;
  readonly lastAt: EpochMs;
  readonly events: number;
  /** The newest of them. */
  readonly eventId: EventItem['pk'];
}

/** When the last attempt at this event failed; undefined: it did not, or there was none. */
export function failedAt(item: EventItem): EpochMs | undefined {
  // What died at its first attempt was given up on purpose: its death says so by itself.
  if (isTerminal(item.status) && (item.status !== 'dead_letter' || item.attempts < 2)) return undefined;
  const last = item.recentAttempts?.at(-1);
  // Claimed twice and nothing written down: the first attempt ended with its process.
  if (last === undefined) return item.attempts > 1 ? item.startedAt : undefined;
  return NO_FAILURE.has(last.cause) ? undefined : last.at;
}

/** When a handler ended this event by its own decision; undefined: it did not. */
function succeededAt(item: EventItem): EpochMs | undefined {
  const died = item.status === 'dead_letter' || item.status === 'closed';
  return isTerminal(item.status) && !died && item.attempts > 0 ? item.completedAt : undefined;
}

/**
 * The events of one handler that failed since its last success. Undefined: its newest attempt succeeded, or none failed.
 * `items`: its newest events, in any order.
 */
export function onlyFails(items: readonly EventItem[]): OnlyFails | undefined {
  const success = Math.max(Number.NEGATIVE_INFINITY, ...items.flatMap(item => succeededAt(item) ?? []));
  const failed = items.flatMap(item => {
    const at = failedAt(item);
    // One that came before the success is a bad event among good ones, however often it is tried again.
    return at === undefined || item.receivedAt <= success ? [] : [{ at, pk: item.pk, since: firstFailure(item) }];
  });
  const newest = failed.toSorted((a, b) => b.at - a.at)[0];
  if (newest === undefined) return undefined;
  const since = Math.min(...failed.map(each => each.since));
  return { since, lastAt: newest.at, events: failed.length, eventId: newest.pk };
}

function firstFailure({ recentAttempts = [], attempts, startedAt, receivedAt, unreadySince }: EventItem): EpochMs {
  // Attempts that were given back are not counted.
  if (unreadySince !== undefined) return unreadySince;
  // Of many attempts only three are noted: the first was soon after the arrival.
  if (attempts > 3) return receivedAt;
  return recentAttempts.find(({ cause }) => !NO_FAILURE.has(cause))?.at ?? startedAt ?? receivedAt;
}

/** Whether a person should hear of it: two events, and failures over ten minutes. */
export function isWorthTelling(
  { since, lastAt, events }: Pick<OnlyFails, 'since' | 'lastAt' | 'events'>,
  { refusedQuietMs }: Pick<Timings, 'refusedQuietMs'>,
): boolean {
  return events >= EVENTS && lastAt - since >= refusedQuietMs;
}
