import { describe, expect, it } from 'vitest';
import { indexUnits, itemSize, readUnits, writeUnits } from '#bench/billing/dynamodb-units.ts';

const text = (bytes: number) => ({ pk: { S: 'a' }, t: { S: 'x'.repeat(bytes - 4) } });
const WATCH = { partition: 'shard', sort: 'at', project: [] };

describe('the size of an item', () => {
  it('is names and values in UTF-8', () => {
    expect(itemSize({ pk: { S: 'abc' } })).toBe(5);
    expect(itemSize({ é: { S: '€' } })).toBe(5);
    expect(itemSize(undefined)).toBe(0);
  });

  it.each([
    ['0', 1],
    ['7', 2],
    ['42', 2],
    ['-42', 3],
    ['1700000000000', 2],
    ['1767571200123', 8],
    ['0.0012', 2],
  ])('counts the number %s as %i bytes', (value, bytes) => {
    expect(itemSize({ n: { N: value } })).toBe(1 + bytes);
  });

  it('counts lists and maps with three bytes, and one for each part', () => {
    expect(itemSize({ l: { L: [{ BOOL: true }, { S: 'ab' }] } })).toBe(1 + 3 + 2 + 3);
    expect(itemSize({ m: { M: { k: { NULL: true } } } })).toBe(1 + 3 + 1 + 1 + 1);
    expect(itemSize({ b: { B: new Uint8Array(7) } })).toBe(8);
  });
});

describe('units', () => {
  it('of a write are the started KB of the larger item, one at least', () => {
    expect(writeUnits(undefined, text(1024))).toBe(1);
    expect(writeUnits(undefined, text(1025))).toBe(2);
    expect(writeUnits(text(3000), text(100))).toBe(3);
    expect(writeUnits(undefined, undefined)).toBe(1);
  });

  it('of a read are the started 4 KB, half of it without consistency', () => {
    expect([readUnits(0, true), readUnits(4096, true), readUnits(4097, true), readUnits(1, false)]).toEqual([
      1, 1, 2, 0.5,
    ]);
  });

  it('of an index follow what changes in it', () => {
    const item = (at?: string, other = 'x') => ({
      pk: { S: 'p' },
      other: { S: other },
      ...(at ? { shard: { S: 's' }, at: { N: at } } : {}),
    });
    const change = (before: object | undefined, after: object | undefined) =>
      indexUnits(WATCH, ['pk'], before as never, after as never);
    expect(change(undefined, item('1'))).toBe(1);
    expect(change(item('1'), item('1', 'y'))).toBe(0);
    expect(change(item('1'), item('2'))).toBe(2);
    expect(change(item('1'), item())).toBe(1);
    expect(change(item(), item(undefined, 'y'))).toBe(0);
    const projecting = { ...WATCH, project: ['other'] };
    expect(indexUnits(projecting, ['pk'], item('1') as never, item('1', 'y') as never)).toBe(1);
  });
});
