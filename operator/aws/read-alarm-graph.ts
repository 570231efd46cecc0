/** The numbers that an alarm judges, asked for as the alarm itself asks: its metric, or its metric math. */
import {
  type CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
  type MetricAlarm,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { HOUR_MS } from '#core/time.ts';
import type { AlarmGraph } from '#operator/gateway.ts';

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
  const { MetricDataResults: results = [] } = await client.send(
    new GetMetricDataCommand({
      MetricDataQueries: [...queries],
      StartTime: new Date(Math.floor((now - spanMs) / periodMs) * periodMs),
      EndTime: new Date(now),
      ScanBy: 'TimestampAscending',
    }),
  );
  // Of an anomaly band the number itself is asked for first.
  const { Timestamps: times = [], Values: values = [] } = results[0] ?? {};
  return {
    points: times.map((at, n) => ({ at: at.getTime(), value: values[n] ?? 0 })),
    from: now - spanMs,
    periodMs,
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
  { from, to, periodMs }: { readonly from: EpochMs; readonly to: EpochMs; readonly periodMs: number },
): Promise<Readonly<Record<string, readonly number[]>> | undefined> {
  const { MetricAlarms: [alarm] = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames: [name] }));
  if (alarm === undefined) return undefined;
  const MetricDataQueries = queriesOf(alarm).flatMap(({ Id, MetricStat: stat }) =>
    stat === undefined ? [] : [{ Id, MetricStat: { ...stat, Period: periodMs / 1_000 } }],
  );
  const parts: Record<string, number[]> = {};
  let NextToken: string | undefined;
  do {
    const page = await client.send(
      new GetMetricDataCommand({
        MetricDataQueries,
        StartTime: new Date(Math.floor(from / periodMs) * periodMs),
        EndTime: new Date(to),
        ...given({ NextToken }),
      }),
    );
    for (const { Id = '', Values = [] } of page.MetricDataResults ?? []) parts[Id] = [...(parts[Id] ?? []), ...Values];
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return parts;
}

function queriesOf(alarm: MetricAlarm): readonly MetricDataQuery[] {
  if (alarm.Metrics !== undefined && alarm.Metrics.length > 0) return alarm.Metrics;
  const { Namespace, MetricName, Dimensions, Period, Statistic, ExtendedStatistic } = alarm;
  const Metric = { Namespace, MetricName, Dimensions };
  return [{ Id: 'm', MetricStat: { Metric, Period: Period ?? 60, Stat: ExtendedStatistic ?? Statistic ?? 'Sum' } }];
}
