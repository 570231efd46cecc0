/** Medians and quartiles of rounds. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

/** The value at a share (0 to 1) of the sorted values, between neighbours where it falls between. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('There is no quantile of no values');
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return below + (above - below) * (at - Math.floor(at));
}

/** Of as many values as are drawn. */
export function meanOf(count: number, value: () => number): number {
  let sum = 0;
  for (let n = 0; n < count; n++) sum += value();
  return sum / count;
}

/** Median and quartiles. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), lower: quantile(values, 0.25), upper: quantile(values, 0.75) };
}

/** `24.1 [23.8 to 25.0]`, with this number of decimals. */
export function showSpread({ median, lower, upper }: Spread, decimals = 1): string {
  return `${median.toFixed(decimals)} [${lower.toFixed(decimals)} to ${upper.toFixed(decimals)}]`;
}
