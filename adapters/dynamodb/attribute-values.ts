/**
 * Plain values as DynamoDB's, and back, as the SDK's `@aws-sdk/util-dynamodb` does it with its defaults; its 5 KB were a
 * twentieth of what a cold start reads. test/adapters/dynamodb/attribute-values.test.ts compares the two.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { DependencyError } from '#core/errors.ts';

export type AttributeMap = Record<string, AttributeValue>;

/** Plain values as DynamoDB's. Throws DependencyError (`not_applied`) for what cannot be stored. */
export function toAttributes(item: Readonly<Record<string, unknown>>): AttributeMap {
  try {
    return toMap(Object.entries(item));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new DependencyError('dynamodb', `the item cannot be stored: ${message}`, {
      cause: error,
      outcome: 'not_applied',
    });
  }
}

/** DynamoDB's values as plain ones. */
export function fromAttributes<T>(attributes: AttributeMap): T {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, fromValue(value)])) as T;
}

function toMap(entries: Iterable<readonly [string, unknown]>): AttributeMap {
  const stored = [...entries].filter(([, value]) => typeof value !== 'function');
  return Object.fromEntries(stored.map(([name, value]) => [name, toValue(value)]));
}

function toValue(value: unknown): AttributeValue {
  if (value === null) return { NULL: true };
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'number':
      return { N: numberText(value) };
    case 'bigint':
      return { N: String(value) };
    case 'boolean':
      return { BOOL: value };
    case 'object':
      return fromObject(value);
    default:
      throw new Error(`a value is ${typeof value}: leave it out or store null`);
  }
}

/** Told apart by the names of their classes, as the SDK does: a handler may bring its own copy of one. */
function fromObject(value: object): AttributeValue {
  if (Array.isArray(value)) return { L: value.filter(it => typeof it !== 'function').map(toValue) };
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return { B: value as Uint8Array };
  switch (value.constructor?.name) {
    case undefined:
    case 'Object':
      return { M: toMap(Object.entries(value)) };
    case 'Map':
      return { M: toMap(value as Map<string, unknown>) };
    case 'Set':
      return fromSet([...(value as Set<unknown>)]);
    case 'NumberValue':
      return { N: String(value) };
    case 'Boolean':
    case 'Number':
    case 'String':
      return toValue(value.valueOf());
    default:
      throw new Error(`a value is of class ${value.constructor.name}: store a plain object or a text`);
  }
}

function fromSet(values: readonly unknown[]): AttributeValue {
  const parts = values.map(toValue);
  const [type = ''] = Object.keys(parts[0] ?? {});
  if (!['S', 'N', 'B'].includes(type) || parts.some(it => !(type in it)))
    throw new Error('a set is empty or mixed: store a list');
  return { [`${type}S`]: parts.map(it => Object.values(it)[0]) } as unknown as AttributeValue;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`${value} cannot be stored: store null`);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new Error(`${value} is not exact: give a bigint`);
  return String(value);
}

function fromValue(value: AttributeValue): unknown {
  for (const [type, held] of Object.entries(value)) {
    if (held === undefined) continue;
    switch (type) {
      case 'NULL':
        return null;
      case 'BOOL':
      case 'S':
      case 'B':
        return held;
      case 'N':
        return toNumber(held);
      case 'L':
        return held.map(fromValue);
      case 'M':
        return fromAttributes(held);
      case 'NS':
        return new Set(held.map(toNumber));
      case 'SS':
      case 'BS':
        return new Set(held);
    }
  }
  throw new Error(`no known type: ${Object.keys(value).join()}`);
}

/** What a number cannot hold exactly is a bigint. */
function toNumber(text: string): number | bigint {
  const number = Number(text);
  return Math.abs(number) > Number.MAX_SAFE_INTEGER && Number.isFinite(number) ? BigInt(text) : number;
}
