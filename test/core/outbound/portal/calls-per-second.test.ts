import { expect, it } from 'vitest';
import { callsPerSecond } from '#core/outbound/portal/calls-per-second.ts';

it('allows a number of calls a second for each application, and begins anew with the next second', () => {
  const mayCall = callsPerSecond(2);
  expect([mayCall('a', 1_000), mayCall('a', 1_400), mayCall('a', 1_999), mayCall('b', 1_999)]).toEqual([
    ...[true, true, false, true],
  ]);
  expect(mayCall('a', 2_000)).toBe(true);
});
