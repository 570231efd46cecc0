import { expect, it } from 'vitest';
import { RecentlyUsed } from '#core/recently-used.ts';

it('forgets what was used longest ago, one at a time', () => {
  const kept = new RecentlyUsed<string, number>(3);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ] as const)
    kept.set(key, value);
  expect(kept.get('a')).toBe(1);
  kept.set('d', 4);
  expect(['a', 'b', 'c', 'd'].map(key => kept.get(key))).toEqual([1, undefined, 3, 4]);
});

it('counts what each weighs, and what is put again once', () => {
  const kept = new RecentlyUsed<string, string>(10, ({ length }) => length);
  kept.set('a', 'xxxx');
  for (const value of ['x', 'xx', 'xxxxxx']) kept.set('b', value);
  expect([kept.get('a'), kept.get('b')]).toEqual(['xxxx', 'xxxxxx']);
  kept.set('c', 'x');
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([undefined, 'xxxxxx', 'x']);
});

it('keeps alone what is heavier than all may be together', () => {
  const kept = new RecentlyUsed<string, string>(2, ({ length }) => length);
  kept.set('a', 'x');
  kept.set('b', 'xxx');
  expect([kept.get('a'), kept.get('b')]).toEqual([undefined, 'xxx']);
});
