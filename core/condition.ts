/**
 * Conditions as data. The protocol is a list of conditional writes; written as data they can be read in one place,
 * compiled to a DynamoDB expression, evaluated in memory, and taken apart one by one by the mutation suite.
 */
export type Scalar = string | number | boolean;

/**
 * A condition of one write, over attributes of the item as it is before. Make it with `eq`, `missing`, `all` and the
 * others.
 */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly attribute: string; readonly op: 'exists' }
  | { readonly attribute: string; readonly op: 'missing' }
  | { readonly attribute: string; readonly op: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'; readonly value: Scalar }
  | { readonly attribute: string; readonly op: 'in'; readonly values: readonly Scalar[] };

/**
 * Holds when each of the conditions holds.
 * @example
 * const open = all(exists('id'), eq('status', 'open'));
 */
export const all = (...conditions: Condition[]): Condition => ({ all: conditions });
/**
 * Holds when at least one of the conditions holds.
 * @example
 * const free = any(missing('owner'), eq('owner', event.id));
 */
export const any = (...conditions: Condition[]): Condition => ({ any: conditions });
/**
 * The item has the attribute.
 * @example
 * const known = exists('paymentId');
 */
export const exists = (attribute: string): Condition => ({ attribute, op: 'exists' });
/**
 * The item lacks the attribute, or is not there.
 * @example
 * const fresh = missing('paymentId');
 */
export const missing = (attribute: string): Condition => ({ attribute, op: 'missing' });
/**
 * The attribute is one of the values (1 to 100).
 * @example
 * const active = isIn('status', ['trial', 'paid']);
 */
export const isIn = (attribute: string, values: readonly Scalar[]): Condition => ({ attribute, op: 'in', values });
/**
 * The attribute equals the value, in type too.
 * @example
 * const paid = eq('status', 'paid');
 */
export const eq = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'eq', value });
/**
 * The attribute differs from the value, or is missing.
 * @example
 * const unpaid = ne('status', 'paid');
 */
export const ne = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'ne', value });
/**
 * The attribute is less than the value; false when it is missing or of another type.
 * @example
 * const older = lt('version', 7);
 */
export const lt = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'lt', value });
/**
 * The attribute is at most the value; false when it is missing or of another type.
 * @example
 * const notNewer = le('version', 7);
 */
export const le = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'le', value });
/**
 * The attribute is more than the value; false when it is missing or of another type.
 * @example
 * const inStock = gt('stock', 0);
 */
export const gt = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'gt', value });
/**
 * The attribute is at least the value; false when it is missing or of another type.
 * @example
 * const enough = ge('stock', 2);
 */
export const ge = (attribute: string, value: Scalar): Condition => ({ attribute, op: 'ge', value });

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
