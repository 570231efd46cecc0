import { describe, expect, it } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { coldShare } from '#bench/latency/cold-share.ts';
import { INPUTS, valueAt } from '#bench/latency/inputs.ts';
import { drawJourney, type Measured } from '#bench/latency/latency-model.ts';
import { noteCost } from '#bench/latency/note-cost.ts';
import { quantile } from '#bench/measure/statistics.ts';

const LEAN: Measured = {
  ingestCpuMs: 1,
  processCpuMs: 0.5,
  startCpuMs: 80,
  ingestDynamoCalls: 3,
  ingestSqsCalls: 1,
  processDynamoCalls: 2,
};

function p99(measured: Measured, conditions = { batch: 1, coldIngest: 0, coldProcess: 0 }): number {
  const random = new SeededRandom(1);
  return quantile(
    Array.from({ length: 20_000 }, () => drawJourney(measured, conditions, random).processedMs),
    0.99,
  );
}

describe('the model', () => {
  it('gives back the quantiles it was given', () => {
    for (const input of Object.values(INPUTS)) {
      for (const [share, ms] of input.at) expect(valueAt(input, share)).toBeCloseTo(ms, 6);
    }
  });

  it('answers for more CPU, more calls and cold starts with more time', () => {
    const lean = p99(LEAN);
    expect(p99({ ...LEAN, ingestCpuMs: 20 })).toBeGreaterThan(lean + 20);
    expect(p99({ ...LEAN, processDynamoCalls: 12 })).toBeGreaterThan(lean + 20);
    expect(p99(LEAN, { batch: 1, coldIngest: 0.05, coldProcess: 0 })).toBeGreaterThan(lean + 50);
  });
});

describe('the share of cold starts', () => {
  const day = (eventsPerDay: number, factor: number): number =>
    coldShare({ eventsPerDay, bursts: { count: 2, factor, seconds: 60 } }, 50, new SeededRandom(3));

  it('is large for rare events and small for many', () => {
    expect(day(100, 1)).toBeGreaterThan(0.3);
    expect(day(50_000, 1)).toBeLessThan(0.01);
  });

  it('grows with bursts', () => {
    expect(day(50_000, 50)).toBeGreaterThan(day(50_000, 1));
  });
});

it('a request that makes the note of the hour waits for the slower of two calls, and not for both', async () => {
  const { noted, known } = await noteCost(300);
  expect(noted.p50).toBeGreaterThan(known.p50);
  // One more call after the other would be four.
  expect(noted.p50 - known.p50).toBeLessThan(3);
});
