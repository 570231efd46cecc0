/** How often one of our counters counted, by CloudWatch's numbers. */
import { type CloudWatchClient, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import type { MetricName } from '#core/metrics.ts';
import { metricNamespace, type Place } from '#core/names.ts';
import type { Span } from '#operator/gateway.ts';

/** Of one source, oldest first; a period without a number has none. */
export async function readCounter(
  client: CloudWatchClient,
  place: Place,
  { metric, source }: { readonly metric: MetricName; readonly source: string },
  { from, to, periodMs }: Span,
): Promise<readonly { readonly at: number; readonly value: number }[]> {
  const Dimensions = [
    { Name: 'environment', Value: place.environment },
    { Name: 'source', Value: source },
  ];
  const Metric = { Namespace: metricNamespace(place), MetricName: metric, Dimensions };
  const pages = paginateGetMetricData(
    { client },
    {
      MetricDataQueries: [{ Id: 'm', MetricStat: { Metric, Period: periodMs / 1_000, Stat: 'Sum' } }],
      StartTime: new Date(Math.floor(from / periodMs) * periodMs),
      EndTime: new Date(to),
      ScanBy: 'TimestampAscending',
    },
  );
  const points: { at: number; value: number }[] = [];
  for await (const { MetricDataResults: [{ Timestamps = [], Values = [] } = {}] = [] } of pages)
    points.push(...Timestamps.map((at, n) => ({ at: at.getTime(), value: Values[n] ?? 0 })));
  return points;
}
