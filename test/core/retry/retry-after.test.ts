import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '#core/retry/retry-after.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    [' 7 ', 7_000],
    ['120, 60', 120_000],
    ['120 ,60', 120_000],
    ['100000000000', 100_000_000_000_000],
    ['Sat, 21 Nov 2026 12:01:30 GMT', 90_000],
    ['Sat, 21 Nov 2026 12:01:30 GMT, 5', 90_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['+5', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['5 seconds', undefined],
    ['5;6', undefined],
    ['soon', undefined],
    ['Sat, 21 Nov 2026 12:01:30 GMTx', undefined],
    ['Sat, 41 Nov 2026 12:01:30 GMT', undefined],
    ['21 Nov 2026', undefined],
    ['9'.repeat(13), undefined],
    ['9'.repeat(10_000), undefined],
  ])('%j is %j ms', (text, expected) => {
    expect(retryAfterMs(text, NOW)).toBe(expected);
  });

  it('is a finite wait of zero or more for every text, or none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.date().map(String)), text => {
        const wait = retryAfterMs(text, NOW);
        expect(wait === undefined || (Number.isFinite(wait) && wait >= 0)).toBe(true);
      }),
    );
  });

  it('reads every second of a date as it was meant', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), seconds => {
        const text = new Date(NOW + seconds * 1_000).toUTCString();
        expect(retryAfterMs(text, NOW)).toBe(Math.max(0, seconds * 1_000));
      }),
    );
  });
});
