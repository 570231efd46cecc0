import {
  type CloudWatchClient,
  type MetricDataQuery,
  type MetricDataResult,
  paginateGetMetricData,
} from '@aws-sdk/client-cloudwatch';
import type { Point, Span } from '#operator/gateway.ts';

/** Numbers of metrics, oldest first, of whole periods: of more than one page those of a query come in parts. */
export async function metricResults(
  client: CloudWatchClient,
  MetricDataQueries: MetricDataQuery[],
  { from, to, periodMs }: Span,
): Promise<readonly MetricDataResult[]> {
  const StartTime = new Date(Math.floor(from / periodMs) * periodMs);
  const asked = { MetricDataQueries, StartTime, EndTime: new Date(to), ScanBy: 'TimestampAscending' } as const;
  const found: MetricDataResult[] = [];
  for await (const page of paginateGetMetricData({ client }, asked)) found.push(...(page.MetricDataResults ?? []));
  return found;
}

/** With the time of each number. */
export const pointsOf = ({ Timestamps = [], Values = [] }: MetricDataResult): Point[] =>
  Timestamps.map((at, n) => ({ at: at.getTime(), value: Values[n] ?? 0 }));
