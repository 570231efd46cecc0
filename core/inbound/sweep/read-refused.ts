/** What the judgement of refusals needs, read from the stores: refusals first, and nothing more of a source without any. */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { EventStore, PayloadStore } from '#core/inbound/ports.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';
import { REJECTED_FOR_SIGNATURE } from '#core/metrics.ts';
import type { Clock } from '#core/ports.ts';
import { toHour } from '#core/time.ts';
import { refusedFor } from './judge-refusals.ts';

const HOUR_MS = 3_600_000;
/** Refused requests are kept as long. */
const LOOK_BACK_HOURS = 72;
/** Enough to know the usual distance between two. */
const ACCEPTED = 20;

interface Ports {
  readonly payloads: Pick<PayloadStore, 'listRefused'>;
  readonly store: Pick<EventStore, 'timeline' | 'getMany'>;
  readonly clock: Clock;
}

/** How long a source has been refused without a success, in milliseconds; undefined: its secret is most likely right. */
export async function readRefusedFor(source: SourceId, ports: Ports, timings: Timings): Promise<number | undefined> {
  const refused = await ports.payloads.listRefused(source, REJECTED_FOR_SIGNATURE);
  if (refused.length === 0) return undefined;
  const refusedAt = refused.map(item => item.refusedAt);
  // One judgement by the refusals alone spares the reading of events in the normal case: a stray forgery.
  if (refusedFor({ refusedAt, acceptedAt: [0] }, timings) === undefined) return undefined;
  return refusedFor({ refusedAt, acceptedAt: await lastAccepted(source, ports) }, timings);
}

/** When the last genuine events of a source came, newest first. What was fetched from the provider proves no secret. */
async function lastAccepted(source: SourceId, { store, clock }: Ports): Promise<readonly EpochMs[]> {
  const found: EpochMs[] = [];
  const now = clock.now();
  for (let back = 0; back <= LOOK_BACK_HOURS && found.length < ACCEPTED; back++) {
    const hour = toHour(now - back * HOUR_MS);
    const page = await store.timeline(`${source}#${hour}`, { newestFirst: true, limit: ACCEPTED });
    if (page.items.length === 0) continue;
    const items = await store.getMany(page.items.map(entry => entry.pk));
    found.push(...items.filter(item => item.reconciled !== true).map(item => item.receivedAt));
    // One success is enough to compare with; how far apart events are is looked for in the last day.
    if (found.length > 0 && back >= 24) break;
  }
  return found.sort((a, b) => b - a).slice(0, ACCEPTED);
}
