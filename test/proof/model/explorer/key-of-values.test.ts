import { expect, it } from 'vitest';
import { keyOfValues } from './key-of-values.ts';
import { Key, StateTable } from './state-table.ts';

const LIKE = [{}, { a: [] }, { a: {} }, { a: null }, { a: false }, { a: true }, { a: 0 }, { a: '0' }, { a: 1.5 }];
const NESTED = [
  { a: [1, 2], b: [3] },
  { a: [1], b: [2, 3] },
  { a: { b: 1 } },
  { a: {}, b: 1 },
  { a: [[]] },
  { b: [[]] },
  { a: [[1], 2] },
  { a: [[1, 2]] },
  { a: [0, null] },
  { a: [1], c: { b: [1] } },
];
const FAR = [{ a: -65 }, { a: -1 }, { a: 2 ** 28 }, { a: 2 ** 28 - 1 }, { a: -(2 ** 28) }, { a: 2 ** 31 }, { a: '' }];
const STATES = [...LIKE, ...NESTED, ...FAR, { a: 2 ** 32 }, { a: '1.5' }, { a: 'b' }];

/** The numbers of states by their keys, in a table of their own. */
function numbersOf(states: readonly object[]): number[] {
  const write = keyOfValues();
  const table = new StateTable();
  return states.map(state => {
    const key = new Key();
    write(state, key);
    return table.intern(key);
  });
}

it('is equal exactly where their JSON is', () => {
  const numbers = STATES.map((_, n) => n);
  expect(numbersOf(STATES)).toEqual(numbers);
  expect(numbersOf([...STATES, ...structuredClone(STATES), ...STATES.toReversed()])).toEqual([
    ...numbers,
    ...numbers,
    ...numbers.toReversed(),
  ]);
  expect(numbersOf([{ a: 1, b: undefined }, { a: 1 }])).toEqual([0, 0]);
});

it('is that of the parts, wherever they were seen before', () => {
  const [one, two] = [{ x: 1 }, { x: 2 }];
  const pairs = [one, two, { x: 1 }, undefined].flatMap(a => [one, two, [one]].map(b => ({ a, b, c: [b, a, one] })));
  const texts = [...new Set(pairs.map(pair => JSON.stringify(pair)))];
  expect(numbersOf(pairs)).toEqual(pairs.map(pair => texts.indexOf(JSON.stringify(pair))));
});
