/** What the judgement of refusals needs, read from the stores: refusals first, and nothing more of a source without any. */
import { given } from '#core/given.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { EventStore, PayloadStore } from '#core/inbound/ports.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';
import { REFUSED_FOR_SIGNATURE } from '#core/metrics.ts';
import type { Clock } from '#core/ports.ts';
import { HOUR_MS, toHour } from '#core/time.ts';
import { refusedFor } from './judge-refusals.ts';

/** Refused requests are kept as long. */
const LOOK_BACK_HOURS = 72;
/** Enough to know the usual distance between two. */
const ACCEPTED = 20;
/** Pages with events that were fetched from the provider, which are read for each question; and the length of the later ones. */
const FETCHED_PAGES = 25;
const FETCHED_PAGE = 100;

interface Ports {
  readonly payloads: Pick<PayloadStore, 'listRefused'>;
  readonly store: Pick<EventStore, 'timeline' | 'getMany'>;
  readonly clock: Clock;
}

/** How long a source has been refused without a success, in milliseconds; undefined: its secret is most likely right. */
export async function readRefusedFor(source: SourceId, ports: Ports, timings: Timings): Promise<number | undefined> {
  const refused = await ports.payloads.listRefused(source, REFUSED_FOR_SIGNATURE);
  if (refused.length === 0) return undefined;
  const refusedAt = refused.map(item => item.refusedAt);
  // One judgement by the refusals alone spares the reading of events in the normal case: a stray forgery.
  if (refusedFor({ refusedAt, acceptedAt: [0] }, timings) === undefined) return undefined;
  return refusedFor({ refusedAt, acceptedAt: await lastAccepted(source, ports) }, timings);
}

/**
 * When the last genuine events of a source came, newest first. What was fetched from the provider proves no secret: it is
 * passed over, page by page. Where nothing else was found so far back as may be read, the last success is older than that.
 */
async function lastAccepted(source: SourceId, { store, clock }: Ports): Promise<readonly EpochMs[]> {
  const found: EpochMs[] = [];
  const now = clock.now();
  let pages = 0;
  let oldest = now;
  for (let back = 0; back <= LOOK_BACK_HOURS && found.length < ACCEPTED; back++) {
    const hour = `${source}#${toHour(now - back * HOUR_MS)}`;
    let cursor: string | undefined;
    do {
      if (pages >= FETCHED_PAGES) return found.length > 0 ? newestOf(found) : [oldest];
      const limit = cursor === undefined ? ACCEPTED : FETCHED_PAGE;
      const page = await store.timeline(hour, { newestFirst: true, limit, ...given({ cursor }) });
      const items = page.items.length === 0 ? [] : await store.getMany(page.items.map(entry => entry.pk));
      if (items.some(item => item.reconciled)) pages += 1;
      oldest = Math.min(oldest, ...items.map(item => item.receivedAt));
      found.push(...items.filter(item => item.reconciled !== true).map(item => item.receivedAt));
      cursor = page.cursor;
    } while (cursor !== undefined && found.length < ACCEPTED);
    // One success is enough to compare with; how far apart events are is looked for in the last day.
    if (found.length > 0 && back >= 24) break;
  }
  return newestOf(found);
}

const newestOf = (times: readonly EpochMs[]): readonly EpochMs[] => times.toSorted((a, b) => b - a).slice(0, ACCEPTED);
