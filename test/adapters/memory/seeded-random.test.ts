import { describe, expect, test } from 'vitest';
import { SeededIds, SeededRandom } from '#adapters/memory/seeded-random.ts';

describe('seeded randomness', () => {
  test('is the same for the same seed, and another for another', () => {
    const draw = (seed: number): number[] => {
      const random = new SeededRandom(seed);
      const fork = random.fork();
      return Array.from({ length: 20 }, () => random.next() + fork.next());
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(2 ** 40 + 1)).not.toEqual(draw(1));
    const ids = new SeededIds(new SeededRandom(1));
    expect(ids.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(Array.from({ length: 10_000 }, () => ids.uuid())).size).toBe(10_000);
  });

  test('is spread evenly', () => {
    const random = new SeededRandom(42);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let n = 0; n < 100_000; n++) counts[random.int(10)]! += 1;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});
