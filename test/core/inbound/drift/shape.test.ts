import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyDiff, fits, isNews, mergeShape, type Shape, shapeOf, sizeOf } from '#core/inbound/drift/shape.ts';
import { decodeShape, encodeShape } from '#core/inbound/drift/stored-shape.ts';

/** Learns some payloads, and says what another one brings. */
function diffAfter(learned: readonly unknown[], next: unknown) {
  const shape = learn(learned);
  const known = fits(shape, next);
  const diff = emptyDiff();
  mergeShape(shape, shapeOf(next), diff);
  expect(fits(shape, next)).toBe(true);
  return { added: diff.added, removed: diff.removed, changed: diff.changed, known };
}
function learn([first, ...rest]: readonly unknown[]): Shape {
  const shape = shapeOf(first);
  for (const each of rest) mergeShape(shape, shapeOf(each));
  return shape;
}
const nothing = { added: [], removed: [], changed: [], known: true };

describe('the difference between a payload and the known shape', () => {
  it('is none for other values, another order, other lengths of arrays', () => {
    const learned = [{ id: 'a', amount: 1, items: [{ sku: 'x' }] }];
    expect(diffAfter(learned, { items: [{ sku: 'y' }, { sku: 'z' }], amount: 2.5, id: 'b' })).toEqual(nothing);
    expect(diffAfter(learned, { id: 'b', amount: 9007199254740993n, items: [] })).toEqual(nothing);
  });

  it.each<[string, unknown, object]>([
    ['a new path', { id: 'a', data: { amount: 1, tax: 2 } }, { added: ['data.tax'] }],
    ['a missing one', { id: 'a', data: {} }, { removed: ['data.amount'] }],
    ['another type', { id: 'a', data: { amount: '1' } }, { changed: ['data.amount: number, now also string'] }],
    ['an object where a text was', { id: { x: 1 }, data: { amount: 1 } }, { changed: ['id: string, now also object'] }],
    [
      'all at once',
      { data: { amount: [1], tax: 2 } },
      { added: ['data.tax'], removed: ['id'], changed: ['data.amount: number, now also array'] },
    ],
  ])('names %s', (_name, next, wanted) => {
    expect(diffAfter([{ id: 'a', data: { amount: 1 } }], next)).toEqual({ ...nothing, known: false, ...wanted });
  });

  it('names a place in an array once, whichever element it is in', () => {
    expect(diffAfter([{ items: [{ sku: 'x' }] }], { items: [{ sku: 'y' }, { sku: 1 }, { sku: 2 }] })).toMatchObject({
      changed: ['items[].sku: string, now also number'],
    });
  });

  it('is told once: what came is known, what went is optional', () => {
    const changed = { id: 'a', tax: 1 };
    expect(diffAfter([{ id: 'a', data: 1 }, changed], changed)).toEqual(nothing);
    expect(diffAfter([{ id: 'a', data: 1 }, changed], { id: 'a', data: 1 })).toEqual(nothing);
  });

  it('is none where null comes and goes', () => {
    expect(diffAfter([{ a: 'x', b: null }], { a: null, b: 'now there' })).toMatchObject({
      added: [],
      removed: [],
      changed: [],
    });
  });

  it('sees no structure in keys that are ids', () => {
    const keys = [
      '820982911946154508',
      'cus_9s6XKzkNRiz8i3',
      '58474f00-b361-11eb-836d-0e4f3503ccbe',
      'a@example.com',
      '2026',
      'e3b0c44298fc1c149afb',
    ];
    for (const key of keys) {
      const learned = [{ users: { '12345': { name: 'a' } } }];
      expect(diffAfter(learned, { users: { [key]: { name: 'b' } } }), key).toEqual(nothing);
      expect(diffAfter(learned, { users: { [key]: { name: 1 } } }), key).toMatchObject({
        changed: ['users.*.name: string, now also number'],
      });
    }
  });

  it('stops: an object that keeps getting keys is a map after twenty, and its shape stays small', () => {
    const shape = shapeOf({ metadata: { first: 'x' } });
    let notices = 0;
    for (let n = 0; n < 500; n++) {
      const diff = emptyDiff();
      mergeShape(
        shape,
        shapeOf({
          metadata: { [`word${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10) % 10]}${n % 7}x`]: 'y' },
        }),
        diff,
      );
      if (isNews(diff)) notices += 1;
    }
    expect(notices).toBeLessThanOrEqual(21);
    expect(sizeOf(shape)).toBeLessThan(30);
  });

  it('stops: very wide, very deep and very many are all bounded', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, n) => [`field${String.fromCharCode(97 + (n % 26))}x${n}y`, n]),
    );
    expect(sizeOf(shapeOf(wide))).toBeLessThan(160);
    let deep: unknown = 1;
    for (let n = 0; n < 60; n++) deep = { deep };
    expect(sizeOf(shapeOf(deep))).toBeLessThan(20);
    expect(fits(shapeOf(deep), deep)).toBe(true);
    const full = shapeOf({ a: 1 });
    mergeShape(full, shapeOf({ b: { c: { d: 1 } } }), emptyDiff(), '', { nodes: 2 });
    expect(sizeOf(full)).toBe(2);
  });
});

describe('a shape', () => {
  it('fits what it was made of and merged with, before and after it was stored', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(json, json, (a, b) => {
        const shape = shapeOf(a);
        expect(fits(shape, a)).toBe(true);
        mergeShape(shape, shapeOf(b));
        expect([fits(shape, a), fits(shape, b)]).toEqual([true, true]);
        const stored = decodeShape(encodeShape({ shape, learnUntil: 5 }));
        expect(stored).toEqual({ shape, learnUntil: 5 });
      }),
      {
        examples: [
          [JSON.parse('{"":{"__proto__":""},"__proto__":{"a":1}}'), []],
          // A member of every element so far is missing in one element of the next list, and there in another.
          [[{ a: 1 }], [{ a: 2 }, {}]],
        ],
      },
    );
  });

  it('holds no value', () => {
    const text = encodeShape({
      shape: shapeOf({ email: 'someone@example.com', card: [{ last4: '4242' }] }),
      learnUntil: 0,
    });
    expect(text).not.toMatch(/someone|4242/);
  });

  it('that cannot be read is learned anew', () => {
    for (const text of [undefined, '', '{}', '{"v":2}', 'garbage']) expect(decodeShape(text)).toBeUndefined();
  });
});
