/**
 * Conditions as data. The protocol is a list of conditional writes; written as data they can be read in one place,
 * compiled to a DynamoDB expression, evaluated in memory, and taken apart one by one by the mutation suite.
 */
export type Scalar = string | number | boolean;

export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly attribute: string; readonly op: 'exists' }
  | { readonly attribute: string; readonly op: 'missing' }
  | { readonly attribute: string; readonly op: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'; readonly value: Scalar }
  | { readonly attribute: string; readonly op: 'in'; readonly values: readonly Scalar[] };

export const all = (...conditions: Condition[]): Condition => ({ all: conditions });
export const any = (...conditions: Condition[]): Condition => ({ any: conditions });
export const exists = (attribute: string): Condition => ({ attribute, op: 'exists' });
export const missing = (attribute: string): Condition => ({ attribute, op: 'missing' });
export const isIn = (attribute: string, values: readonly Scalar[]): Condition => ({ attribute, op: 'in', values });
export const eq = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'eq', value });
export const ne = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'ne', value });
export const lt = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'lt', value });
export const le = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'le', value });
export const gt = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'gt', value });

/** `attribute = value`, or the attribute is missing where the value read was missing. */
export const same = (attribute: string, value: Scalar | undefined): Condition =>
  value === undefined ? missing(attribute) : eq(attribute, value);

/**
 * Evaluates a condition as DynamoDB does: a comparison with a missing attribute, or between two types, is false
 * (`ne` with a missing attribute is true).
 */
export function holds(condition: Condition, item: Readonly<Record<string, unknown>> | undefined): boolean {
  if ('all' in condition) return condition.all.every(part => holds(part, item));
  if ('any' in condition) return condition.any.some(part => holds(part, item));
  const actual = item?.[condition.attribute];
  switch (condition.op) {
    case 'exists':
      return actual !== undefined;
    case 'missing':
      return actual === undefined;
    case 'in':
      return condition.values.some(value => value === actual);
    case 'eq':
      return actual === condition.value;
    case 'ne':
      return actual !== condition.value;
    case 'lt':
      return compare(actual, condition.value, order => order < 0);
    case 'le':
      return compare(actual, condition.value, order => order <= 0);
    case 'gt':
      return compare(actual, condition.value, order => order > 0);
    case 'ge':
      return compare(actual, condition.value, order => order >= 0);
  }
}

function compare(actual: unknown, value: Scalar, accepts: (order: number) => boolean): boolean {
  if (typeof actual === 'number' && typeof value === 'number') return accepts(actual - value);
  if (typeof actual === 'string' && typeof value === 'string') return accepts(compareTexts(actual, value));
  return false;
}

/** The order of the texts' bytes in UTF-8, which is DynamoDB's. JavaScript's own puts surrogates before U+E000. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = utf8Rank(a.charCodeAt(at)) - utf8Rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
