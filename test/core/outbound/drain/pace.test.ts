import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Bucket,
  FIRST_PACE,
  laneOf,
  type Pace,
  paceAfter,
  paceOnOpening,
  takeToken,
} from '#core/outbound/drain/pace.ts';
import type { Verdict } from '#core/outbound/ports.ts';
import { addToHours, readHours } from '#core/outbound/protocol/hours.ts';
import { HOUR_MS } from '#core/time.ts';

const ok: Verdict = { class: 'ok', fault: 'none' };
const down: Verdict = { class: 'busy', fault: 'endpoint' };
const feed = (pace: Pace, verdicts: readonly Verdict[], max = 32, ms = 100): Pace =>
  verdicts.reduce((each, verdict) => paceAfter(each, verdict, ms, max), pace);
const times = (n: number, verdict: Verdict): Verdict[] => Array.from({ length: n }, () => verdict);

test('one more after as many successes as may be in the air, up to what the endpoint allows', () => {
  expect(feed(FIRST_PACE, times(5, ok)).cap).toBe(6);
  expect(feed(FIRST_PACE, times(5 + 6, ok)).cap).toBe(7);
  expect(feed(FIRST_PACE, times(1_000, ok), 8).cap).toBe(8);
});

test('half once a round, and the old cap again when the breaker opens', () => {
  const burst = feed({ ...FIRST_PACE, cap: 8 }, times(5, down));
  expect(burst.cap).toBe(4);
  expect(feed(burst, [down]).cap).toBe(2);
  expect(paceOnOpening(burst)).toMatchObject({ cap: 8, steadyCap: undefined });
});

test('the cap stays between 1 and the maximum, whatever comes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(ok, down), { maxLength: 300 }),
      fc.integer({ min: 1, max: 100 }),
      (verdicts, max) => {
        let pace: Pace = { ...FIRST_PACE, cap: Math.min(5, max) };
        for (const verdict of verdicts) {
          pace = paceAfter(pace, verdict, 50, max);
          expect(pace.cap).toBeGreaterThanOrEqual(1);
          expect(pace.cap).toBeLessThanOrEqual(max);
        }
      },
    ),
  );
});

test('slow lane: long answers, an open breaker, three full pages; fast again after twenty quick answers', () => {
  expect(laneOf(FIRST_PACE, 0, 0)).toBe('fast');
  expect(laneOf(FIRST_PACE, 1, 0)).toBe('slow');
  expect(laneOf(FIRST_PACE, 0, 3)).toBe('slow');
  const slow: Pace = { ...feed(FIRST_PACE, times(5, ok), 32, 8_000), lane: 'slow' };
  expect(laneOf({ ...slow, lane: 'fast' }, 0, 0)).toBe('slow');
  expect(laneOf(feed(slow, times(19, ok)), 0, 0)).toBe('slow');
  expect(laneOf(feed(slow, times(20, ok)), 0, 0)).toBe('fast');
});

test('never more than the burst and the rate in any window', () => {
  fc.assert(
    fc.property(
      fc.record({ perSecond: fc.double({ min: 0.1, max: 50, noNaN: true }), burst: fc.integer({ min: 1, max: 50 }) }),
      fc.array(fc.nat(2_000), { minLength: 1, maxLength: 200 }),
      (rate, gaps) => {
        let bucket: Bucket | undefined;
        let now = 0;
        const taken: number[] = [];
        for (const gap of gaps) {
          now += gap;
          const asked = takeToken(bucket, rate, now);
          bucket = asked.bucket;
          if (asked.waitMs === 0) taken.push(now);
          else expect(takeToken(bucket, rate, now + asked.waitMs + 1).waitMs, 'after the wait there is one').toBe(0);
        }
        for (const [n, from] of taken.entries()) {
          for (let last = n; last < taken.length; last++) {
            const window = ((taken[last] as number) - from) / 1_000;
            expect(last - n + 1).toBeLessThanOrEqual(rate.burst + rate.perSecond * window + 1e-6);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('counts of 24 hours: what is older is forgotten', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ hour: fc.nat(60), ok: fc.nat(5_000), fail: fc.nat(50) }), { maxLength: 40 }),
      adds => {
        let packed: string | undefined;
        for (const { hour, ok: good, fail } of adds.toSorted((a, b) => a.hour - b.hour)) {
          packed = addToHours(packed, 1_000_000 * HOUR_MS + hour * HOUR_MS, { ok: good, fail });
        }
        const counts = readHours(packed, (1_000_000 + 60) * HOUR_MS);
        expect(counts).toHaveLength(24);
        for (const [age, count] of counts.entries()) {
          const wanted = adds.filter(({ hour }) => hour === 60 - age);
          expect(count.ok).toBe(wanted.reduce((sum, { ok: good }) => sum + good, 0));
          expect(count.fail).toBe(wanted.reduce((sum, { fail }) => sum + fail, 0));
        }
        expect((packed ?? '').length).toBeLessThan(300);
      },
    ),
  );
});

test('a clock that goes back takes no token away', () => {
  const rate = { perSecond: 1, burst: 3 };
  const { bucket } = takeToken({ tokens: 3, at: 60_000 as never }, rate, 50_000 as never);
  expect(bucket).toEqual({ tokens: 2, at: 50_000 });
});
