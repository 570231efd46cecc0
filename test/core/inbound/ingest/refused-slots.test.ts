/** 1. What a flood of refused requests may cost is bounded. 2. Requests of a calm source are all kept, the last 20. */
import { describe, expect, it } from 'vitest';
import { toSourceId } from '#core/glossary.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import { REFUSED_SLOTS } from '#core/inbound/protocol/event-item.ts';
import { MINUTE_MS } from '#core/time.ts';

const SOURCE = toSourceId('stripe');
const slots = () => new RefusedSlots({ next: () => 0.5 });

describe('the requests that a copy of ingest keeps', () => {
  it('are 20 at once and one a minute, of each cause, in a flood of an hour', () => {
    const ring = slots();
    const kept = { mismatch: 0, missing: 0 };
    for (let ms = 0; ms < 60 * MINUTE_MS; ms += 100)
      for (const cause of ['mismatch', 'missing'] as const)
        if (ring.take(SOURCE, cause, ms) !== undefined) kept[cause] += 1;
    expect(kept).toEqual({ mismatch: REFUSED_SLOTS + 59, missing: REFUSED_SLOTS + 59 });
  });

  it('are all twelve of twelve, each in a slot of its own', () => {
    const ring = slots();
    const taken = Array.from({ length: 12 }, (_, n) => ring.take(SOURCE, 'mismatch', n));
    expect(new Set(taken).size).toBe(12);
    expect(taken).not.toContain(undefined);
  });

  it('never lie outside the ring', () => {
    const ring = slots();
    for (let n = 0; n < 1_000; n++) {
      const slot = ring.take(SOURCE, 'stale', n * MINUTE_MS);
      expect(slot).toBeGreaterThanOrEqual(0);
      expect(slot).toBeLessThan(REFUSED_SLOTS);
    }
  });
});
