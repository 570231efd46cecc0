import { describe, expect, it } from 'vitest';
import { holds } from '#core/condition.ts';
import {
  checkVersion,
  eventTime,
  longSequenceVersion,
  mayReplace,
  sequenceVersion,
  timeVersion,
  type Version,
} from '#core/handler/ordering/version.ts';

describe('versions', () => {
  it('reads times with microseconds in order', () => {
    const texts = [
      '2026-11-21T00:00:00Z',
      '2026-11-21T00:00:00.000001Z',
      '2026-11-21T00:00:00.000002Z',
      '2026-11-21T00:00:00.001Z',
    ];
    const versions = texts.map(text => timeVersion(text) ?? 0);
    expect(new Set(versions).size).toBe(4);
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions);
    expect(timeVersion('2026-11-21T01:00:00+01:00')).toBe(timeVersion('2026-11-21T00:00:00Z'));
    expect([timeVersion('yesterday'), timeVersion(5), timeVersion(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('reads sequence numbers, short and long', () => {
    expect([7, '7', '9007199254740991'].map(sequenceVersion)).toEqual([7, 7, 9_007_199_254_740_991]);
    expect(['9007199254740993', '-1', '1.5', 1.5, null, ''].map(sequenceVersion)).toEqual(Array(6).fill(undefined));
    const [nine, ten] = ['9', '10'].map(longSequenceVersion);
    expect(nine! < ten!).toBe(true);
    const lossy = 2 ** 53 + 2;
    expect(['1'.repeat(39), '-5', lossy, 1.5].map(longSequenceVersion)).toEqual(Array(4).fill(undefined));
    expect(longSequenceVersion(9_007_199_254_740_993n)).toBe('9007199254740993'.padStart(38, '0'));
  });

  it('has no event time where the provider gave none', () => {
    expect(eventTime({ time: 5 })).toBe(5);
    expect(eventTime({ time: 5, timeIsArrival: true })).toBeUndefined();
  });

  it.each([
    [undefined, /no version/],
    ['', /no version/],
    [Number.NaN, /not a finite number/],
    [Number.POSITIVE_INFINITY, /2\^53|not a finite number/],
    [2 ** 60, /above 2\^53/],
    // As a payload may have it: in the row it would make a dead letter of every later event.
    [null, /no version/],
    [[], /version is a list/],
    [{ at: 5 }, /version is an object/],
    [true, /version is a boolean/],
    [7n, /version is a bigint.*longSequenceVersion/],
  ])('refuses %s for good', (version, message) => {
    expect(() => checkVersion(version as Version | undefined, undefined)).toThrow(
      expect.objectContaining({ name: 'PermanentError', message: expect.stringMatching(message) }),
    );
  });

  it.each([['7'], [null], [true], [7n]])(
    'refuses to compare a number with a stored %s, instead of calling it stale',
    stored => {
      expect(() => checkVersion(8, { version: stored })).toThrow(/cannot be compared/);
    },
  );
});

describe('mayReplace', () => {
  it.each([
    ['no row', undefined, true],
    ['a row without a version', { other: 1 }, true],
    ['an older version', { version: 4, versionEventId: 'e9' }, true],
    ['a newer version', { version: 6, versionEventId: 'e1' }, false],
    ['an equal version of a smaller id', { version: 5, versionEventId: 'e1' }, true],
    ['an equal version of a larger id', { version: 5, versionEventId: 'e3' }, false],
    ['its own version', { version: 5, versionEventId: 'e2' }, true],
    ['an equal version of nobody', { version: 5 }, true],
  ])('%s: %j %s', (_name, row, expected) => {
    expect(holds(mayReplace(5, 'e2'), row)).toBe(expected);
  });

  it('keeps the newest in every order of seven events, for every pattern of equal versions', () => {
    const ids = ['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7'];
    const orders = permutations(ids.map((_, at) => at));
    let checked = 0;
    for (let pattern = 0; pattern < 64; pattern++) {
      // Bit n: event n + 1 is of a later second than event n.
      let second = 0;
      const events = ids.map((id, at) => {
        if (at > 0 && (pattern >> (at - 1)) & 1) second += 1;
        return { id, version: second, condition: mayReplace(second, id) };
      });
      for (const order of orders) {
        let row: { version: number; versionEventId: string } | undefined;
        for (const at of order) {
          const { id, version, condition } = events[at]!;
          if (holds(condition, row)) row = { version, versionEventId: id };
        }
        if (row?.versionEventId !== 'e7')
          expect.fail(`${order.join()} with pattern ${pattern} ended in ${row?.versionEventId}`);
        checked += 1;
      }
    }
    expect(checked).toBe(64 * 5_040);
  });
});

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map(rest => [item, ...rest]));
}
