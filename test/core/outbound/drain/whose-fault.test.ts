/** Whose fault a failure is, and whether it is charged. What follows in days: test/proof/journeys/outbound/whose-fault.test.ts. */
import { expect, it } from 'vitest';
import { isCharged, isEndpoints, withFailed } from '#core/outbound/drain/whose-fault.ts';
import { FAULTS } from '#core/outbound/ports.ts';

it('has an answer for every fault: only a message is always charged, and only the endpoint never as a trial request', () => {
  const charged = (failed: readonly string[], onTrial: boolean, ordered = false) =>
    FAULTS.filter(fault => isCharged({ fault }, { onTrial, ordered, failed }));
  expect(charged(['a'], false)).toEqual(['endpoint', 'ambiguous', 'message']);
  expect(charged(['a'], true)).toEqual(['ambiguous', 'message']);
  expect(charged(['a', 'b'], false)).toEqual(['endpoint', 'message']);
  expect(charged(['a', 'b'], true, true)).toEqual(['ambiguous', 'message']);
  expect(withFailed(withFailed(withFailed(undefined, 'a'), 'a'), 'b')).toEqual(['a', 'b']);
  expect(isEndpoints({ fault: 'ambiguous' }, ['a'])).toBe(false);
});
