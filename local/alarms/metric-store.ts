/** Datapoints of the last two hours by metric, as CloudWatch would hold them: namespace, name and the whole dimension set. */
export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

const KEEP_MS = 2 * 60 * 60 * 1000;

export class MetricStore {
  /** Moments up to this one (epoch ms) were looked at: what is added for one of them counts a moment later. */
  lookedUntil = Number.NEGATIVE_INFINITY;
  readonly #series = new Map<string, { at: number; value: number }[]>();

  /** Adds one datapoint; `at` is epoch ms. */
  add(metric: MetricId, value: number, at: number): void {
    const key = keyOf(metric);
    const points = this.#series.get(key) ?? [];
    points.push({ at: Math.max(at, this.lookedUntil + 1), value });
    while (points[0] && points[0].at < at - KEEP_MS) points.shift();
    this.#series.set(key, points);
  }

  /** All metrics that it has. */
  metrics(): readonly MetricId[] {
    return [...this.#series.keys()].map(key => {
      const [namespace, name, pairs] = JSON.parse(key) as [string, string, [string, string][]];
      return { namespace, name, dimensions: Object.fromEntries(pairs) };
    });
  }

  /** Values with `after < at <= until`. */
  values(metric: MetricId, after: number, until: number): readonly number[] {
    const points = this.#series.get(keyOf(metric)) ?? [];
    return points.filter(({ at }) => at > after && at <= until).map(({ value }) => value);
  }
}

function keyOf({ namespace, name, dimensions }: MetricId): string {
  const pairs = Object.entries(dimensions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([namespace, name, pairs]);
}

/** A CloudWatch statistic of values: undefined when there are none, or when the statistic is not one we know. */
export function statistic(name: string, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sum = values.reduce((total, value) => total + value, 0);
  switch (name) {
    case 'Sum':
      return sum;
    case 'Average':
      return sum / values.length;
    case 'Minimum':
      return Math.min(...values);
    case 'Maximum':
      return Math.max(...values);
    case 'SampleCount':
      return values.length;
    default: {
      const percentile = /^p(\d{1,2}(?:\.\d+)?|100)$/i.exec(name)?.[1];
      if (percentile === undefined) return undefined;
      const sorted = values.toSorted((a, b) => a - b);
      return sorted[Math.max(0, Math.ceil((Number(percentile) / 100) * sorted.length) - 1)];
    }
  }
}
