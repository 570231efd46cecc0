import { expect, it } from 'vitest';
import { countHead, headLimitMs } from '#core/outbound/drain/head-of-line.ts';
import { HOUR_MS } from '#core/time.ts';

it('counts the time between answers about the head, and not the time in which the endpoint was silent', () => {
  const first = countHead(undefined, { now: 1_000, silentSince: undefined });
  expect(first).toEqual({ headMs: 0, headAt: 1_000 });
  const second = countHead(first, { now: 5_000, silentSince: undefined });
  expect(second).toEqual({ headMs: 4_000, headAt: 5_000 });
  // Silent from 6,000 on: what comes after does not count.
  expect(countHead(second, { now: 90_000, silentSince: 6_000 })).toEqual({ headMs: 5_000, headAt: 90_000 });
  expect(countHead(second, { now: 90_000, silentSince: 2_000 })).toEqual({ headMs: 4_000, headAt: 90_000 });
});

it('has a limit of 24 hours where the endpoint names none', () => {
  expect(headLimitMs({})).toBe(24 * HOUR_MS);
  expect(headLimitMs({ headOfLineHours: 3 })).toBe(3 * HOUR_MS);
});
