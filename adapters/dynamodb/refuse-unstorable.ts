/**
 * What `marshall` of the SDK would store as another value than was given (a set of texts and numbers becomes one of texts, a
 * field `__proto__` is lost), and what it refuses in words that name an option of its own instead of what to do.
 */
import { NumberValueImpl } from '@aws-sdk/util-dynamodb';

/** Throws an Error that says what to store instead. A function in a map or list is left out, as the SDK does. */
export function refuseUnstorable(value: unknown): void {
  if (value === undefined || typeof value === 'symbol')
    throw new Error(`a value is ${typeof value}: leave it out or store null`);
  if (typeof value === 'number') refuseNumber(value);
  if (typeof value !== 'object' || value === null) return;
  for (const part of partsOf(value)) if (typeof part !== 'function') refuseUnstorable(part);
}

function refuseNumber(value: number): void {
  if (!Number.isFinite(value)) throw new Error(`${value} cannot be stored: store null`);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new Error(`${value} is not exact: give a bigint`);
}

/** Told apart by the names of their classes, as the SDK does: a handler may bring its own copy of one. */
function partsOf(value: object): readonly unknown[] {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof NumberValueImpl) return [];
  if (Array.isArray(value)) return value;
  switch (value.constructor?.name) {
    case undefined:
    case 'Object':
      refuseName(Object.hasOwn(value, '__proto__'));
      return Object.values(value);
    case 'Map':
      refuseName((value as Map<unknown, unknown>).has('__proto__'));
      return [...(value as Map<unknown, unknown>).values()];
    case 'Set':
      return ofOneKind([...(value as Set<unknown>)]);
    case 'Boolean':
    case 'Number':
    case 'String':
      return [value.valueOf()];
    default:
      throw new Error(`a value is of class ${value.constructor.name}: store a plain object or a text`);
  }
}

function refuseName(isThere: boolean): void {
  if (isThere) throw new Error('a field is named __proto__: rename it');
}

function ofOneKind(values: readonly unknown[]): readonly unknown[] {
  const kinds = new Set(values.map(it => (ArrayBuffer.isView(it) ? 'bytes' : typeof it)));
  const [kind = ''] = kinds;
  if (kinds.size !== 1 || !['string', 'number', 'bigint', 'bytes'].includes(kind))
    throw new Error('a set is empty or mixed: store a list');
  return values;
}
