import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attemptsOf, isSchedule, nextAttemptAt, SCHEDULES } from '#core/outbound/drain/schedule.ts';
import { HOUR_SECONDS } from '#core/time.ts';

const sum = (waits: readonly number[]): number => waits.reduce((all, wait) => all + wait, 0);

test('the named schedules, wait by wait', () => {
  expect(SCHEDULES.standard).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(sum(SCHEDULES.standard)).toBe(75 * HOUR_SECONDS + 35 * 60 + 5);
  expect(SCHEDULES['7-hours']).toHaveLength(16);
  expect(SCHEDULES['7-hours'].slice(0, 4)).toEqual([5, 10, 20, 40]);
  expect(Math.max(...SCHEDULES['7-hours'])).toBe(3_600);
  expect(SCHEDULES['34-hours']).toEqual([60, 300, 1_800, 7_200, 28_800, 86_400]);
  expect(SCHEDULES['27-hours']).toEqual([60, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
  for (const waits of Object.values(SCHEDULES)) expect(isSchedule(waits)).toBe(true);
});

test('ten attempts by default; a message may cut them, never below one', () => {
  expect(attemptsOf(SCHEDULES.standard)).toBe(10);
  expect(attemptsOf(SCHEDULES.standard, 3)).toBe(3);
  expect(attemptsOf(SCHEDULES.standard, 21)).toBe(10);
  expect(attemptsOf([5], 0)).toBe(1);
});

test('every wait is within 20 %, and never before what the endpoint asked for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 86_400 }), { minLength: 1, maxLength: 20 }),
      fc.nat(19),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.option(fc.integer({ min: 0, max: HOUR_SECONDS * 1_000 }), { nil: undefined }),
      (waits, at, draw, notBefore) => {
        const n = 1 + (at % waits.length);
        const wait = (waits[n - 1] as number) * 1_000;
        const next = nextAttemptAt(waits, n, { now: 1_000, random: { next: () => draw }, notBefore }) - 1_000;
        expect(next).toBeGreaterThanOrEqual(Math.floor(Math.max(0.8 * wait, notBefore ?? 0)));
        expect(next).toBeLessThanOrEqual(Math.ceil(Math.max(1.2 * wait, notBefore ?? 0)));
      },
    ),
  );
});

test('what is no schedule: none, too many, too short, too long', () => {
  for (const waits of [[], Array.from({ length: 21 }, () => 5), [0], [86_401]]) expect(isSchedule(waits)).toBe(false);
});
