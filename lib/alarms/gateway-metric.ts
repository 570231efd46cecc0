import { type IMetric, MathExpression, Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Duration } from 'aws-cdk-lib/core';
import { given } from '#core/given.ts';
import { dimensionsOf, type MetricName } from '#core/metrics.ts';
import { metricNamespace, type Place } from '#core/names.ts';

/**
 * A metric our functions emit. Throws RangeError for a set of dimensions it is not published under: CloudWatch would
 * show it as empty forever.
 */
export function gatewayMetric(
  name: MetricName,
  place: Place,
  options: MetricOptions & { readonly dimensions?: Readonly<Record<string, string>> },
): Metric {
  const { dimensions, ...rest } = options;
  const dimensionsMap = { environment: place.environment, ...dimensions };
  const asked = Object.keys(dimensionsMap).sort().join();
  const sets: readonly (readonly string[])[] = dimensionsOf(name);
  if (!sets.some(set => [...set].sort().join() === asked)) {
    throw new RangeError(
      `${name} is not published under (${asked}); allowed: ${sets.map(set => `(${set.join()})`).join(', ')}. Change core/metrics.ts or the alarm.`,
    );
  }
  return new Metric({ namespace: metricNamespace(place), metricName: name, dimensionsMap, ...rest });
}

/** The share of the first in the second in percent, over one period; 0 while there are fewer than `least`. */
export function percentOf(
  usingMetrics: Readonly<Record<string, IMetric>>,
  { least, ...shown }: { readonly least: number; readonly period: Duration; readonly label: string },
): MathExpression {
  const [part, whole] = Object.keys(usingMetrics);
  const expression = `IF(${whole} >= ${least}, 100 * FILL(${part}, 0) / ${whole}, 0)`;
  return new MathExpression({ expression, usingMetrics, ...shown });
}

/** Throttled writes: of a table, or of one index of it. */
export const writeThrottles = (period: Duration, TableName: string, index?: string): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName: 'WriteThrottleEvents',
    dimensionsMap: { TableName, ...given({ GlobalSecondaryIndexName: index }) },
    statistic: 'Sum',
    period,
  });
