/** From an alarm as data to CloudWatch's: the same form for every stack. */
import {
  Alarm,
  AnomalyDetectionAlarm,
  type CfnAlarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration, Tags } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { given } from '#core/given.ts';
import { nameIn, type Place } from '#core/names.ts';
import { type AlarmSpec, alarmNameOf } from './alarm-spec.ts';
import { runbookOfAlarm } from './runbooks.ts';

const OPERATORS = {
  above: ComparisonOperator.GREATER_THAN_THRESHOLD,
  atLeast: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  below: ComparisonOperator.LESS_THAN_THRESHOLD,
} as const;

const BAND_OPERATORS = {
  above: ComparisonOperator.GREATER_THAN_UPPER_THRESHOLD,
  below: ComparisonOperator.LESS_THAN_LOWER_THRESHOLD,
} as const;

/** Without actions: who is told is its owner's to say. */
export function makeAlarm(scope: Construct, spec: AlarmSpec, place: Place): Alarm {
  const { threshold = 1 } = spec;
  const [datapointsToAlarm, evaluationPeriods] = spec.datapoints ?? [1, 1];
  const shared = {
    alarmName: nameOfAlarm(place, spec),
    alarmDescription: describeAlarm(spec, place.environment),
    metric: withoutGaps(spec),
    evaluationPeriods,
    datapointsToAlarm,
    treatMissingData: spec.missing === 'breaching' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  };
  const alarm =
    typeof threshold === 'number'
      ? new Alarm(scope, spec.id, {
          ...shared,
          threshold,
          comparisonOperator: OPERATORS[spec.fires ?? 'atLeast'],
        })
      : new AnomalyDetectionAlarm(scope, spec.id, {
          ...shared,
          stdDevs: threshold.bandWidth,
          comparisonOperator: BAND_OPERATORS[spec.fires === 'below' ? 'below' : 'above'],
        });
  if (spec.missing === 'breaching' && typeof threshold === 'number') warmUp(alarm, spec);
  tagAlarm(alarm, spec);
  return alarm;
}

/** From when an alarm is made until a first deploy has ended and the functions have run. */
const FIRST_DATA_MINUTES = 15;
/** CloudWatch takes no longer one. */
const LONGEST_WARM_UP_MINUTES = 2_880;

/**
 * Nobody is told of data that cannot be there yet: a first deploy, a new source. It waits the whole time, as a filled metric
 * has data at once. (By its path: older libraries of the CDK have no property for it.)
 */
function warmUp(alarm: Alarm, { metric, datapoints = [1, 1] }: AlarmSpec): void {
  const period = metric.toMetricConfig().metricStat?.period.toSeconds() ?? 60;
  const minutes = Math.ceil((period * datapoints[1]) / 60) + FIRST_DATA_MINUTES;
  (alarm.node.defaultChild as CfnAlarm).addPropertyOverride('WarmUpConfiguration', {
    WarmUpPeriodDurationInMinutes: Math.min(minutes, LONGEST_WARM_UP_MINUTES),
    OnlyStartEvaluatingAfterWarmUpPeriodEnds: true,
  });
}

/** So that rules and lists of alarms can ask for them. The first command stands in the description: a tag takes few characters. */
function tagAlarm(alarm: Alarm, { id, source, severity }: AlarmSpec): void {
  const tags = { severity, runbook: runbookOfAlarm(id).page, ...given({ source }) };
  for (const [name, value] of Object.entries(tags)) Tags.of(alarm).add(`holdfast:${name}`, value);
}

/**
 * The metric with a number where it has none, so that the alarm follows from the last N periods alone (docs/decisions/which-alarms-exist-and-who-hears-once.md):
 * - While the last good datapoints are in CloudWatch's evaluation range, a missing one does not count as `breaching` says:
 *   a job that stopped would be told of up to N periods late. The number here breaches.
 * - An alarm on a metric of AWS/DynamoDB keeps its state while there is no datapoint, whatever it says of missing data, and a
 *   throttle has datapoints while it lasts only: the alarm would never end. The number here is 0.
 */
function withoutGaps({ metric, missing, threshold = 1, fires = 'atLeast' }: AlarmSpec): IMetric {
  const stat = metric.toMetricConfig().metricStat;
  // A band is learned from the metric as it is; what publishes it reports its own zeroes.
  if (stat === undefined || typeof threshold !== 'number') return metric;
  const filler =
    missing === 'breaching' ? breachOf(threshold, fires) : stat.namespace === 'AWS/DynamoDB' ? 0 : undefined;
  if (filler === undefined) return metric;
  return new MathExpression({
    expression: `FILL(reported, ${filler})`,
    usingMetrics: { reported: metric },
    period: stat.period,
    label: `${stat.metricName}, ${filler} where there is none`,
  });
}

function breachOf(threshold: number, fires: NonNullable<AlarmSpec['fires']>): number {
  if (fires === 'below') return threshold - 1;
  return fires === 'above' ? threshold + 1 : threshold;
}

export function nameOfAlarm(place: Place, spec: AlarmSpec): string {
  return nameIn(place, alarmNameOf(spec));
}

/** What a person on call reads: each line of it can be typed. */
export function describeAlarm(
  alarm: Pick<AlarmSpec, 'id' | 'severity' | 'meaning' | 'firstCommand'>,
  environment: string,
): string {
  const { id, severity, meaning, firstCommand } = alarm;
  return `${severity}: ${meaning}\nFirst: ${firstCommand}\nRunbook: npm run holdfast -- runbook ${runbookOfAlarm(id).page} --env ${environment}`;
}

/** Minutes of an alarm on the local AWS: ten seconds each, rounded up to what CloudWatch takes as a period. */
export function shortMinutes(count: number): Duration {
  const seconds = 10 * count;
  return Duration.seconds(seconds <= 30 ? seconds : 60 * Math.ceil(seconds / 60));
}
