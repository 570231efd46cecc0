import { describe, expect, test } from 'vitest';
import { SeededIds, SeededRandom } from '#adapters/memory/seeded-random.ts';
import { SortedList } from '#adapters/memory/sorted-list.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';

describe('the virtual clock', () => {
  test('runs events in the order of their times, equal ones as scheduled, and stands where it was told', async () => {
    const clock = new VirtualClock(0);
    const ran: string[] = [];
    clock.at(20, () => ran.push(`c@${clock.now()}`));
    clock.at(10, () => ran.push(`a@${clock.now()}`));
    clock.at(10, () => ran.push(`b@${clock.now()}`));
    clock.at(40, () => ran.push('never'));
    await clock.advanceTo(30);
    expect(ran).toEqual(['a@10', 'b@10', 'c@20']);
    expect(clock.now()).toBe(30);
    expect(clock.nextAt()).toBe(40);
  });

  test('lets code that an event woke go on before the next event', async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    const walk = async (): Promise<void> => {
      for (let n = 0; n < 5; n++) {
        await clock.sleep(10);
        await Promise.resolve();
        seen.push(clock.now());
      }
    };
    await clock.complete(walk());
    expect(seen).toEqual([10, 20, 30, 40, 50]);
  });

  test('runs what is late at once, and nothing that was cancelled', async () => {
    const clock = new VirtualClock(100);
    const ran: string[] = [];
    clock.at(50, () => ran.push(`late@${clock.now()}`));
    clock.at(110, () => ran.push('cancelled'))();
    await clock.advanceBy(20);
    expect(ran).toEqual(['late@100']);
  });

  test('says so when a promise can never settle, or takes too long', async () => {
    const clock = new VirtualClock(0);
    await expect(clock.complete(new Promise(() => {}))).rejects.toThrow('can never settle');
    await expect(clock.complete(clock.sleep(5_000), 1_000)).rejects.toThrow('within 1000 ms');
    await expect(clock.complete(Promise.reject(new Error('its own')))).rejects.toThrow('its own');
  });
});

describe('seeded randomness', () => {
  test('is the same for the same seed, and another for another', () => {
    const draw = (seed: number): number[] => {
      const random = new SeededRandom(seed);
      const fork = random.fork();
      return Array.from({ length: 20 }, () => random.next() + fork.next());
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(2 ** 40 + 1)).not.toEqual(draw(1));
    const ids = new SeededIds(new SeededRandom(1));
    expect(ids.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(Array.from({ length: 10_000 }, () => ids.uuid())).size).toBe(10_000);
  });

  test('is spread evenly', () => {
    const random = new SeededRandom(42);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let n = 0; n < 100_000; n++) counts[random.int(10)]! += 1;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

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
