import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromAttributes, toAttributes } from '#adapters/dynamodb/attribute-values.ts';
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
class NumberValue {
  toString(): string {
    return '12.5';
  }
}

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

it('writes every value as the SDK does, and refuses what the SDK refuses', () => {
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

const ATTRIBUTE = fc.letrec<{ value: AttributeValue }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string().map(S => ({ S })),
    fc
      .oneof(fc.integer().map(String), fc.bigInt().map(String), fc.double({ noNaN: true }).map(String))
      .map(N => ({ N })),
    fc.uint8Array().map(B => ({ B })),
    fc.boolean().map(BOOL => ({ BOOL })),
    fc.constant({ NULL: true } as const),
    fc.array(fc.string()).map(SS => ({ SS })),
    fc.array(fc.integer().map(String)).map(NS => ({ NS })),
    fc.array(fc.uint8Array()).map(BS => ({ BS })),
    fc.array(tie('value'), { maxLength: 4 }).map(L => ({ L })),
    fc.dictionary(NAME, tie('value'), { maxKeys: 4 }).map(M => ({ M })),
  ),
})).value;

it('reads every attribute as the SDK does', () => {
  fc.assert(
    fc.property(fc.dictionary(NAME, ATTRIBUTE, { maxKeys: 4 }), attributes => {
      expect(outcome(() => fromAttributes(attributes))).toEqual(outcome(() => unmarshall(attributes)));
    }),
    { numRuns: 2_000 },
  );
  expect(() => fromAttributes({ a: { X: 1 } as unknown as AttributeValue })).toThrow('no known type');
});

it('keeps a field with any name', () => {
  const item = JSON.parse('{"a":{"__proto__":{"b":1}}}');
  expect(fromAttributes(toAttributes(item))).toEqual(item);
  expect(JSON.stringify(fromAttributes(toAttributes(item)))).toBe(JSON.stringify(item));
});

it('takes exact numbers of a class of another copy of the SDK', () => {
  expect(toAttributes({ price: new NumberValue() })).toEqual({ price: { N: '12.5' } });
});

it.each([
  [{ a: undefined }, 'a value is undefined: leave it out or store null'],
  [{ a: [new Own()] }, 'a value is of class Own'],
  [{ a: new Set() }, 'a set is empty or mixed'],
  [{ a: new Set(['x', 1]) }, 'a set is empty or mixed'],
  [{ a: Number.NaN }, 'NaN cannot be stored'],
  [{ a: 2 ** 60 }, 'give a bigint'],
])('says what cannot be stored and what to do: %o', (item, message) => {
  expect(() => toAttributes(item)).toThrow(message);
  expect(() => toAttributes(item)).toThrow(DependencyError);
});
