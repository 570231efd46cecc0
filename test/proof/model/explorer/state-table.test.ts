import { expect, it } from 'vitest';
import { hashOf, Key, StateTable } from './state-table.ts';

function keyOf(...units: readonly number[]): Key {
  const key = new Key();
  key.units = new Int32Array(2);
  for (const unit of units) key.add(unit);
  return key;
}

it('numbers keys in the order in which they come, and finds each again', () => {
  const table = new StateTable();
  const keys = Array.from({ length: 50_000 }, (_, n) => keyOf(...Array(n % 7).fill(n), n));
  keys.push(keyOf(), keyOf(0, 0), keyOf(-1), keyOf(2 ** 31 - 1));
  expect(keys.map(key => table.intern(key))).toEqual([...keys.keys()]);
  expect(keys.map(key => table.intern(key))).toEqual([...keys.keys()]);
  expect(keys.map(key => table.find(key))).toEqual([...keys.keys()]);
  expect([table.size, table.find(keyOf(7, 7, 7))]).toEqual([keys.length, undefined]);
});

it('tells keys apart whose hashes are equal', () => {
  const table = new StateTable();
  const keys = Array.from({ length: 300_000 }, (_, n) => keyOf(n, Math.imul(n * n, 0x85ebca6b)));
  expect(keys.filter((key, n) => table.intern(key) !== n)).toEqual([]);
  expect(new Set(keys.map(key => hashOf(key.units, key.length))).size).toBeLessThan(keys.length);
});

it('takes keys of any length', () => {
  const table = new StateTable();
  const long = Array.from({ length: 1_000 }, (_, n) => n);
  const many = Array.from({ length: 300 }, (_, n) => keyOf(...long.with(n, -1)));
  expect(many.map(key => table.intern(key))).toEqual([...many.keys()]);
});
