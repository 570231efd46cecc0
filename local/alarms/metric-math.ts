/**
 * The part of CloudWatch's metric math that alarms use: numbers, metric ids, arithmetic, comparisons, AND/OR, IF, MAX, MIN,
 * SUM, AVG, ABS, CEIL, FLOOR, DIFF and FILL. A value that needs a missing datapoint is missing.
 */
type Datapoint = number | undefined;
/** The value of an expression in a period; 0 is the latest period, 1 the one before. */
export type Series = (period: number) => Datapoint;

/** Compiles an expression over the series of other ids. Throws RangeError, naming what it does not know. */
export function compileMetricMath(expression: string, series: (id: string) => Series): Series {
  const tokens = tokenize(expression);
  let at = 0;
  const peek = (): string | undefined => tokens[at];
  const take = (): string => tokens[at++] ?? '';
  const expect = (token: string): void => {
    const found = take();
    if (found !== token)
      throw new RangeError(`Metric math "${expression}": expected "${token}", found "${found || 'the end'}"`);
  };

  const binary = (
    next: () => Series,
    operators: Readonly<Record<string, (a: number, b: number) => number>>,
  ): Series => {
    let left = next();
    for (let operator = operators[peek() ?? '']; operator; operator = operators[peek() ?? '']) {
      take();
      const [a, b, apply] = [left, next(), operator];
      left = period => both(a(period), b(period), apply);
    }
    return left;
  };
  const or = (): Series => binary(and, { OR: anyOf, '||': anyOf });
  const and = (): Series => binary(comparison, { AND: allOf, '&&': allOf });
  const comparison = (): Series => binary(sum, COMPARISONS);
  const sum = (): Series => binary(product, { '+': (a, b) => a + b, '-': (a, b) => a - b });
  const product = (): Series => binary(power, { '*': (a, b) => a * b, '/': (a, b) => a / b });
  const power = (): Series => binary(unary, { '^': (a, b) => a ** b });
  const unary = (): Series => {
    if (peek() !== '-') return primary();
    take();
    const operand = unary();
    return period => map(operand(period), value => -value);
  };
  const list = (close: string): Series[] => {
    const items: Series[] = [];
    while (peek() !== close) {
      items.push(or());
      if (peek() === ',') take();
      else break;
    }
    expect(close);
    return items;
  };
  const primary = (): Series => {
    const token = take();
    if (token === '(') {
      const inner = or();
      expect(')');
      return inner;
    }
    if (/^[\d.]/.test(token)) return () => Number(token);
    if (!/^[A-Za-z]\w*$/.test(token))
      throw new RangeError(`Metric math "${expression}": "${token || 'the end'}" was not expected`);
    if (peek() !== '(') return series(token);
    take();
    if (peek() === '[') {
      take();
      const items = list(']');
      expect(')');
      return call(token, items, expression);
    }
    return call(token, list(')'), expression);
  };

  const result = or();
  if (at < tokens.length) throw new RangeError(`Metric math "${expression}": "${peek()}" was not expected`);
  return result;
}

function tokenize(expression: string): readonly string[] {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[A-Za-z]\w*|<=|>=|==|!=|&&|\|\||[-+*/^<>(),[\]]|\S/g) ?? [];
  return tokens.map(token => (/^(and|or)$/i.test(token) ? token.toUpperCase() : token));
}

const anyOf = (a: number, b: number): number => Number(a !== 0 || b !== 0);
const allOf = (a: number, b: number): number => Number(a !== 0 && b !== 0);
const COMPARISONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '<': (a, b) => Number(a < b),
  '<=': (a, b) => Number(a <= b),
  '>': (a, b) => Number(a > b),
  '>=': (a, b) => Number(a >= b),
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
};

function map(value: Datapoint, change: (value: number) => number): Datapoint {
  return value === undefined ? undefined : finite(change(value));
}

function both(a: Datapoint, b: Datapoint, apply: (a: number, b: number) => number): Datapoint {
  return a === undefined || b === undefined ? undefined : finite(apply(a, b));
}

/** A division by zero is a missing datapoint. */
function finite(value: number): Datapoint {
  return Number.isFinite(value) ? value : undefined;
}

function call(name: string, items: readonly Series[], expression: string): Series {
  const [first = () => undefined, second = () => undefined, third = () => undefined] = items;
  /** Over several series; those without a datapoint are left out. */
  const over = (combine: (values: readonly number[]) => number): Series => {
    return period => {
      const values = items.map(item => item(period)).filter(value => value !== undefined);
      return values.length === 0 ? undefined : finite(combine(values));
    };
  };
  switch (name.toUpperCase()) {
    case 'IF':
      return period => {
        const condition = first(period);
        if (condition === undefined) return undefined;
        return condition !== 0 ? second(period) : third(period);
      };
    case 'MAX':
      return over(values => Math.max(...values));
    case 'MIN':
      return over(values => Math.min(...values));
    case 'SUM':
      return over(values => values.reduce((a, b) => a + b, 0));
    case 'AVG':
      return over(values => values.reduce((a, b) => a + b, 0) / values.length);
    case 'ABS':
      return period => map(first(period), Math.abs);
    case 'CEIL':
      return period => map(first(period), Math.ceil);
    case 'FLOOR':
      return period => map(first(period), Math.floor);
    case 'DIFF':
      return period => both(first(period), first(period + 1), (now, before) => now - before);
    case 'FILL':
      return period => first(period) ?? second(period);
    default:
      throw new RangeError(`Metric math "${expression}": ${name} is not evaluated locally`);
  }
}
