/** What the resources of a template cost by being there, whether or not an event comes. */

/** US dollars a month, us-east-1, without free tier. */
export const STANDING_PRICES = {
  readOn: '2026-11-21',
  alarmMetric: 0.1,
  compositeAlarm: 0.5,
  dashboard: 3,
  secret: 0.4,
  key: 1,
} as const;

/** A learned band watches the metric itself and both edges. */
export const BAND_METRICS = 3;

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

export interface StandingCharge {
  readonly item: 'CloudWatch alarms' | 'Composite alarms' | 'Dashboard' | 'Secrets' | 'Key of the alarm topics';
  readonly count: number;
  readonly dollars: number;
}

/** Of all resources of an environment, nested stacks included. */
export function standingCharges(resources: readonly TemplateResource[]): readonly StandingCharge[] {
  const all = (type: string) => resources.filter(each => each.Type === `AWS::${type}`);
  const watched = all('CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm.Properties ?? {}), 0);
  const charge = (item: StandingCharge['item'], count: number, price: number): StandingCharge => ({
    item,
    count,
    dollars: count * price,
  });
  return [
    charge('CloudWatch alarms', watched, STANDING_PRICES.alarmMetric),
    charge('Composite alarms', all('CloudWatch::CompositeAlarm').length, STANDING_PRICES.compositeAlarm),
    charge('Dashboard', all('CloudWatch::Dashboard').length, STANDING_PRICES.dashboard),
    charge('Secrets', all('SecretsManager::Secret').length, STANDING_PRICES.secret),
    charge('Key of the alarm topics', all('KMS::Key').length, STANDING_PRICES.key),
  ];
}

function metricsOf(alarm: Readonly<Record<string, unknown>>): number {
  if (alarm['ThresholdMetricId'] !== undefined) return BAND_METRICS;
  const metrics = alarm['Metrics'];
  if (!Array.isArray(metrics)) return 1;
  return metrics.filter(each => each.MetricStat !== undefined).length;
}
