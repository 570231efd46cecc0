/** The numbers that an alarm judges, asked for as the alarm itself asks: its metric, or its metric math. */
import {
  type CloudWatchClient,
  DescribeAlarmsCommand,
  type MetricAlarm,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { HOUR_MS } from '#core/time.ts';
import type { AlarmGraph, Span } from '#operator/gateway.ts';
import { metricResults, pointsOf } from './metric-results.ts';

const LEAST_MS = 3 * HOUR_MS;
const MOST_POINTS = 500;

/** Undefined: no such alarm, or one over other alarms, which judges no number. */
export async function readAlarmGraph(
  client: CloudWatchClient,
  name: string,
  now: EpochMs,
): Promise<AlarmGraph | undefined> {
  const { MetricAlarms: [alarm] = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames: [name] }));
  if (alarm === undefined) return undefined;
  const queries = queriesOf(alarm);
  const periodMs = 1_000 * Math.max(60, ...queries.map(query => query.MetricStat?.Period ?? query.Period ?? 0));
  const periods = alarm.EvaluationPeriods ?? 1;
  const spanMs = Math.min(MOST_POINTS * periodMs, Math.max(LEAST_MS, 3 * periods * periodMs));
  const from = now - spanMs;
  const results = await metricResults(client, queries, { from, to: now, periodMs });
  return {
    // Of an anomaly band the number itself is asked for first.
    points: pointsOf(results[0] ?? {}),
    ...{ from, periodMs },
    ...given({ threshold: alarm.Threshold }),
    comparison: alarm.ComparisonOperator ?? '',
    periods,
    needed: alarm.DatapointsToAlarm ?? periods,
    missing: alarm.TreatMissingData ?? 'missing',
  };
}

/** Each metric under the name that the alarm's math gives it; undefined: no such alarm. */
export async function readAlarmParts(
  client: CloudWatchClient,
  name: string,
  over: Span,
): Promise<Readonly<Record<string, readonly number[]>> | undefined> {
  const { MetricAlarms: [alarm] = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames: [name] }));
  if (alarm === undefined) return undefined;
  const queries = queriesOf(alarm).flatMap(({ Id, MetricStat: stat }) =>
    stat === undefined ? [] : [{ Id, MetricStat: { ...stat, Period: over.periodMs / 1_000 } }],
  );
  const parts: Record<string, number[]> = {};
  for (const { Id = '', Values = [] } of await metricResults(client, queries, over))
    parts[Id] = [...(parts[Id] ?? []), ...Values];
  return parts;
}

function queriesOf(alarm: MetricAlarm): MetricDataQuery[] {
  if (alarm.Metrics !== undefined && alarm.Metrics.length > 0) return alarm.Metrics;
  const { Namespace, MetricName, Dimensions, Period, Statistic, ExtendedStatistic } = alarm;
  const Metric = { Namespace, MetricName, Dimensions };
  return [{ Id: 'm', MetricStat: { Metric, Period: Period ?? 60, Stat: ExtendedStatistic ?? Statistic ?? 'Sum' } }];
}
