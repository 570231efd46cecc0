import { expect, test } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { SortedList } from '#adapters/memory/sorted-list.ts';

test('a sorted list agrees with sorting, through thousands of additions and removals', () => {
  const random = new SeededRandom(9);
  const list = new SortedList<number>((a, b) => a - b);
  let model: number[] = [];
  for (let n = 0; n < 6_000; n++) {
    const value = random.int(3_000);
    if (random.chance(0.3)) {
      list.remove(value);
      const at = model.indexOf(value);
      if (at >= 0) model = model.toSpliced(at, 1);
    } else {
      list.add(value);
      model.push(value);
    }
  }
  const sorted = model.toSorted((a, b) => a - b);
  for (const from of [-1, 0, 17, 1_500, 2_999, 5_000]) {
    expect([...list.ascending(from)]).toEqual(sorted.filter(value => value >= from));
    expect([...list.descending(from)]).toEqual(sorted.filter(value => value <= from).toReversed());
  }
});
