import { expect, it } from 'vitest';
import { portalKeys } from '#adapters/crypto/portal-keys.ts';

it('derives one key of 32 bytes from each master secret, the current one first', () => {
  const [one, two] = ['1'.repeat(64), '2'.repeat(64)];
  const keys = portalKeys({ current: one, previous: two });
  expect(keys.map(key => key.length)).toEqual([32, 32]);
  expect(keys[0]).toEqual(portalKeys({ current: one })[0]);
  expect(keys[1]).toEqual(portalKeys({ current: two })[0]);
  expect(keys[0]).not.toEqual(keys[1]);
});
