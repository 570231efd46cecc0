/** Order of two numbers by their texts: an id above 2^53 keeps its last digits. */

const NUMBER = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,4}))?$/;

interface Decimal {
  readonly negative: boolean;
  /** Without leading and trailing zeros; empty: zero. */
  readonly digits: string;
  /** Power of ten of the first digit. */
  readonly exponent: number;
}

function toDecimal(text: string): Decimal | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const all = whole + fraction;
  let from = 0;
  while (from < all.length && all.charAt(from) === '0') from += 1;
  let to = all.length;
  while (to > from && all.charAt(to - 1) === '0') to -= 1;
  const digits = all.slice(from, to);
  return {
    negative: sign === '-' && digits !== '',
    digits,
    exponent: digits === '' ? 0 : whole.length - from + Number(power),
  };
}

/** Negative, 0 or positive as `a` is below, at or above `b`; undefined when one of them is no number. */
export function compareNumbers(a: string, b: string): number | undefined {
  const left = toDecimal(a);
  const right = toDecimal(b);
  if (!left || !right) return undefined;
  if (left.negative !== right.negative) return left.negative ? -1 : 1;
  const size = compareSizes(left, right);
  return left.negative ? -size : size;
}

function compareSizes(a: Decimal, b: Decimal): number {
  if (a.digits === '' || b.digits === '') return a.digits.length - b.digits.length;
  if (a.exponent !== b.exponent) return a.exponent - b.exponent;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -1 : 1;
}
