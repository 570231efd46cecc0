import { expect, it } from 'vitest';
import { all, any, eq, exists, gt, holds, isIn, le, lt, missing, ne, same } from '#core/condition.ts';

const item = { status: 'pending', gen: 3, flag: true };

it.each([
  ['eq', eq('gen', 3), true],
  ['eq of another type', eq('gen', '3'), false],
  ['ne', ne('gen', 4), true],
  ['ne of a missing attribute', ne('absent', 4), true],
  ['lt', lt('gen', 4), true],
  ['lt of equals', lt('gen', 3), false],
  ['le of equals', le('gen', 3), true],
  ['gt', gt('gen', 2), true],
  ['lt of a missing attribute', lt('absent', 4), false],
  ['lt between types', lt('status', 4), false],
  ['exists', exists('flag'), true],
  ['missing', missing('flag'), false],
  ['in', isIn('status', ['failed', 'pending']), true],
  ['all', all(eq('gen', 3), eq('flag', false)), false],
  ['any', any(eq('gen', 9), eq('flag', true)), true],
  ['no part of any', any(), false],
  ['same as read missing', same('owner', undefined), true],
  ['same as read', same('gen', 3), true],
])('%s', (_, condition, expected) => {
  expect(holds(condition, item)).toBe(expected);
});

it('holds for nothing but missing attributes where there is no item', () => {
  expect(holds(missing('pk'), undefined)).toBe(true);
  expect(holds(eq('gen', 1), undefined)).toBe(false);
  expect(holds(ne('gen', 1), undefined)).toBe(true);
});
