import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backoffMs } from '#core/retry/backoff.ts';

it('waits between half and all of min(cap, base * 2^(attempt-1)), and a second, evenly spread', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 86_400 }),
      fc.double({ min: 0, max: 0.999_999, noNaN: true }),
      (attempt, baseSeconds, capSeconds, draw) => {
        const ceilingMs = Math.min(capSeconds, baseSeconds * 2 ** (attempt - 1)) * 1_000;
        const delay = backoffMs({ attempts: 15, baseSeconds, capSeconds }, attempt, { next: () => draw });
        expect(Math.abs(delay - (1_000 + (0.5 + draw / 2) * ceilingMs))).toBeLessThanOrEqual(1);
      },
    ),
  );
});
