import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, NumberValueImpl } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromAttributes, toAttributes } from '#adapters/dynamodb/marshal.ts';
import { DependencyError } from '#core/errors.ts';

const outcome = (work: () => unknown): unknown => {
  try {
    return work();
  } catch {
    return 'throws';
  }
};

class Own {
  readonly field = 1;
}
/** Of another copy of the SDK than ours. */
class NumberValue {}

/** The SDK loses a field of this name. */
const NAME = fc.string().filter(it => it !== '__proto__');
const LEAF = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.maxSafeInteger(),
  fc.bigInt(),
  fc.boolean(),
  fc.uint8Array({ maxLength: 8 }),
  fc.constantFrom(null, undefined, '', 0, -0, Number.NaN, 2 ** 53, -(2 ** 53), Infinity, 1e21),
  fc.constantFrom<unknown>(
    new Own(),
    new Date(0),
    () => 1,
    Symbol('s'),
    Object.create(null),
    Object('boxed'),
    Object(7),
    Object(true),
    new ArrayBuffer(2),
    new DataView(new ArrayBuffer(2)),
    /x/,
  ),
);
const { value: VALUE } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    LEAF,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(NAME, tie('value'), { maxKeys: 4 }),
    fc.array(fc.tuple(NAME, tie('value')), { maxLength: 3 }).map(it => new Map(it)),
    fc.array(LEAF, { maxLength: 3 }).map(it => new Set(it)),
    fc.array(fc.string(), { maxLength: 3 }).map(it => new Set(it)),
    fc.array(fc.integer(), { maxLength: 3 }).map(it => new Set(it)),
    fc.array(fc.uint8Array(), { maxLength: 3 }).map(it => new Set(it)),
  ),
}));

it('writes every value as the SDK does, refuses what the SDK refuses, and says what to do', () => {
  fc.assert(
    fc.property(fc.dictionary(NAME, VALUE, { maxKeys: 4 }), item => {
      fc.pre(!hasOddSet(item));
      expect(outcome(() => toAttributes(item))).toEqual(outcome(() => marshall(item)));
    }),
    { numRuns: 2_000 },
  );
});

/** Of a set of texts and numbers the SDK makes texts: the table then holds another value than was given. */
function hasOddSet(value: unknown): boolean {
  if (value instanceof Set)
    return new Set([...value].map(kindInSet)).size > 1 || [...value].some(it => kindInSet(it) === 'object');
  if (value instanceof Map) return [...value.values()].some(hasOddSet);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasOddSet);
}

const kindInSet = (it: unknown): string => (it instanceof Uint8Array ? 'binary' : typeof it);

it('takes an exact number of the SDK', () => {
  expect(toAttributes({ price: NumberValueImpl.from('12345678901234567890.5') })).toEqual({
    price: { N: '12345678901234567890.5' },
  });
});

it('gives back what was written', () => {
  const item = { text: 'ü', number: 12.5, list: [null, true, { a: 1 }], bytes: Uint8Array.of(1), set: new Set(['a']) };
  expect(fromAttributes(toAttributes(item))).toEqual(item);
  expect(fromAttributes(toAttributes({ a: 2n ** 70n }))).toEqual({ a: 2n ** 70n });
  expect(() => fromAttributes({ a: { X: 1 } as unknown as AttributeValue })).toThrow('Unsupported type');
});

it.each([
  [{ a: undefined }, 'a value is undefined: leave it out or store null'],
  [{ a: [new Own()] }, 'a value is of class Own'],
  [{ a: new Set() }, 'a set is empty or mixed'],
  [{ a: new Set(['x', 1]) }, 'a set is empty or mixed'],
  [{ a: Number.NaN }, 'NaN cannot be stored'],
  [{ a: 2 ** 60 }, 'give a bigint'],
  [JSON.parse('{"a":{"__proto__":{"b":1}}}'), 'a field is named __proto__: rename it'],
  [{ a: [new Map([['__proto__', 1]])] }, 'a field is named __proto__: rename it'],
  [{ a: new NumberValue() }, 'a value is of class NumberValue'],
  [{ a: Symbol('s') }, 'a value is symbol'],
])('says what cannot be stored and what to do: %o', (item, message) => {
  expect(() => toAttributes(item)).toThrow(message);
  expect(() => toAttributes(item)).toThrow(DependencyError);
});
