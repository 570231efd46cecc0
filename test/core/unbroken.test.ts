import { expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { goOn } from '#core/unbroken.ts';

const NOON = Date.parse('2026-01-05T12:00:00Z');

it('goes on while no run is missing for five minutes, and begins anew after that', () => {
  const last = { since: NOON - DAY_MS, at: NOON };
  expect(goOn(last, NOON + 5 * MINUTE_MS)).toEqual({ since: NOON - DAY_MS, at: NOON + 5 * MINUTE_MS });
  const late = NOON + 5 * MINUTE_MS + SECOND_MS;
  expect(goOn(last, late)).toEqual({ since: late, at: late });
  expect(goOn(undefined, NOON)).toEqual({ since: NOON, at: NOON });
  // A clock that was ahead: nobody knows what it saw.
  expect(goOn(last, NOON - SECOND_MS)).toEqual({ since: NOON - SECOND_MS, at: NOON - SECOND_MS });
});
