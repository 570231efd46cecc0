import type { AlarmDefinition } from './alarm-definition.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

export interface Evaluation {
  readonly state: AlarmState;
  readonly reason: string;
}

/**
 * The state of an alarm: M of the last N periods breach. Periods end now, not at the full minute, so that a laptop need not
 * wait. Periods that began before `since` (epoch ms) count as healthy when they are missing: nothing was running then.
 */
export function evaluateAlarm(alarm: AlarmDefinition, now: number, since: number): Evaluation | undefined {
  const series = alarm.seriesAt(now);
  const breaches = comparisons[alarm.comparison];
  if (!breaches) return undefined;
  const seen: number[] = [];
  let breaching = 0;
  let missing = 0;
  for (let period = 0; period < alarm.evaluationPeriods; period += 1) {
    const value = series(period);
    if (value !== undefined) {
      seen.push(value);
      if (breaches(value, alarm.threshold)) breaching += 1;
    } else {
      missing += 1;
      if (alarm.missing === 'breaching' && now - (period + 1) * alarm.periodMs >= since) breaching += 1;
    }
  }
  const shown = seen.map(value => Number(value.toFixed(3))).join(', ') || 'none';
  const reason = `${breaching} of the last ${alarm.evaluationPeriods} periods of ${alarm.periodMs / 1000} s breach (values: ${shown}; ${missing} missing; ${alarm.comparison} ${alarm.threshold})`;
  if (breaching >= alarm.datapointsToAlarm) return { state: 'ALARM', reason };
  if (seen.length === 0 && alarm.missing === 'missing') return { state: 'INSUFFICIENT_DATA', reason };
  if (seen.length === 0 && alarm.missing === 'ignore') return undefined;
  return { state: 'OK', reason };
}

const comparisons: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
};
