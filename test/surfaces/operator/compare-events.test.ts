import { expect, it } from 'vitest';
import { differences } from '#operator/events/compare-events.ts';

it('tells what was added, removed, changed, and what is of another kind', () => {
  const left = { id: 'a', amount: 5, old: 1, list: [1, { x: 1 }], same: { deep: true } };
  const right = { id: 'b', amount: '5', list: [1, { x: 2 }, 3], neu: null, same: { deep: true } };
  expect(differences(left, right)).toEqual([
    { path: 'id', kind: 'changed', left: '"a"', right: '"b"' },
    { path: 'amount', kind: 'type', left: '5', right: '"5"' },
    { path: 'old', kind: 'removed', left: '1' },
    { path: 'list[1].x', kind: 'changed', left: '1', right: '2' },
    { path: 'list[2]', kind: 'added', right: '3' },
    { path: 'neu', kind: 'added', right: 'null' },
  ]);
  expect(differences(left, left)).toEqual([]);
});

it('ends with bodies of any depth and size', () => {
  let [a, b]: unknown[] = [1, 2];
  for (let depth = 0; depth < 5_000; depth++) [a, b] = [[a], [b]];
  expect(differences(a, b).length).toBe(1);
  const wide = (n: number) => Object.fromEntries(Array.from({ length: 5_000 }, (_, key) => [`k${key}`, n]));
  expect(differences(wide(1), wide(2)).length).toBe(500);
});

it('takes no name for a property of every object', () => {
  expect(
    differences({}, JSON.parse('{"__proto__":1,"constructor":2}'))
      .map(it => it.path)
      .sort(),
  ).toEqual(['__proto__', 'constructor']);
});
