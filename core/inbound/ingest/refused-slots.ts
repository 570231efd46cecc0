/**
 * Which refused requests one running copy of ingest keeps. Nobody who sends refused requests can make it write without
 * bound: of a source and cause a copy keeps 20 at once and one a minute afterwards, in a ring of 20 slots.
 */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import { REFUSED_SLOTS } from '#core/inbound/protocol/event-item.ts';
import type { Random } from '#core/ports.ts';
import { MINUTE_MS } from '#core/time.ts';

const REFILL_MS = MINUTE_MS;

interface Bucket {
  /** How many may be kept now. */
  left: number;
  refilledAt: EpochMs;
  slot: number;
}

export class RefusedSlots {
  readonly #random: Random;
  /** By source and cause: as many as are configured times the causes there are. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** The slot for one more request, 0 to REFUSED_SLOTS - 1; undefined: it is only counted. */
  take(source: SourceId, cause: string, now: EpochMs): number | undefined {
    const bucket = this.#bucketOf(`${source}#${cause}`, now);
    const refills = Math.floor((now - bucket.refilledAt) / REFILL_MS);
    if (refills > 0) {
      bucket.left = Math.min(REFUSED_SLOTS, bucket.left + refills);
      bucket.refilledAt += refills * REFILL_MS;
    }
    if (bucket.left <= 0) return undefined;
    bucket.left -= 1;
    bucket.slot = (bucket.slot + 1) % REFUSED_SLOTS;
    return bucket.slot;
  }

  #bucketOf(key: string, now: EpochMs): Bucket {
    const known = this.#buckets.get(key);
    if (known) return known;
    // Each copy begins at a place of its own, so that they do not write over one another's.
    const slot = Math.floor(this.#random.next() * REFUSED_SLOTS);
    const created: Bucket = { left: REFUSED_SLOTS, refilledAt: now, slot };
    this.#buckets.set(key, created);
    return created;
  }
}
