/** How often one of our counters counted, by CloudWatch's numbers. */
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { MetricName } from '#core/metrics.ts';
import { metricNamespace, type Place } from '#core/names.ts';
import type { Point, Span } from '#operator/gateway.ts';
import { metricResults, pointsOf } from './metric-results.ts';

/** Of one source, oldest first; a period without a number has none. */
export async function readCounter(
  client: CloudWatchClient,
  place: Place,
  { metric, source }: { readonly metric: MetricName; readonly source: string },
  over: Span,
): Promise<readonly Point[]> {
  const Dimensions = [
    { Name: 'environment', Value: place.environment },
    { Name: 'source', Value: source },
  ];
  const Metric = { Namespace: metricNamespace(place), MetricName: metric, Dimensions };
  const query = { Id: 'm', MetricStat: { Metric, Period: over.periodMs / 1_000, Stat: 'Sum' } };
  return (await metricResults(client, [query], over)).flatMap(pointsOf);
}
