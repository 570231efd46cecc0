import type { AlarmDefinition } from './alarm-definition.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

export interface Evaluation {
  readonly state: AlarmState;
  readonly reason: string;
}

/**
 * Periods that CloudWatch reads beyond those it evaluates. AWS gives no number ("the number of periods and the period
 * length" decide), and reports speak of three: the most anybody has seen.
 */
const RANGE_BEYOND = 3;

/**
 * The state of an alarm: M of N datapoints breach, read as CloudWatch reads them, and where its documentation leaves room,
 * in the way that tells a person later:
 * 1. Where missing data breaches, it looks at more periods than N. If at least N of them have a datapoint, the latest N that
 *    have one decide, and what is missing is not looked at. (Here an alarm ends at once; CloudWatch keeps one on a sparse
 *    metric for as many periods more.)
 * 2. Else each that is missing counts as the alarm says.
 * 3. An alarm on a metric of AWS/DynamoDB keeps its state while nothing is there, whatever it says.
 * Periods end now, not at the full minute, so that a laptop need not wait. Of periods that began before `since` (epoch ms)
 * none breaches for want of data: nothing was running then. Undefined: the state stays.
 */
export function evaluateAlarm(alarm: AlarmDefinition, now: number, since: number): Evaluation | undefined {
  const breaches = comparisons[alarm.comparison];
  if (!breaches) return undefined;
  const series = alarm.seriesAt(now);
  const wanted = alarm.evaluationPeriods;
  const missingIs = alarm.keepsStateWhenMissing ? 'ignore' : alarm.missing;
  const ran = (period: number): boolean => now - (period + 1) * alarm.periodMs >= since;
  const looked = wanted + (missingIs === 'breaching' ? RANGE_BEYOND : 0);
  const range = Array.from({ length: looked }, (_, period) => ({ period, value: series(period) }));
  const present = range.filter((each): each is { period: number; value: number } => each.value !== undefined);
  const judged = present.slice(0, wanted);
  const isWhole = judged.length === wanted;
  // Of those that are missing, as many as were to be looked at.
  const missing = isWhole ? [] : range.filter(each => each.value === undefined).slice(0, wanted - judged.length);
  const breaching =
    // A filler that breaches is no datapoint of a time in which nothing ran.
    judged.filter(({ period, value }) => breaches(value, alarm.threshold) && (missingIs !== 'breaching' || ran(period)))
      .length + (missingIs === 'breaching' ? missing.filter(({ period }) => ran(period)).length : 0);
  // What does not breach because nothing ran then is not shown as if it had been judged.
  const told = missingIs === 'breaching' ? judged.filter(({ period }) => ran(period)) : judged;
  const shown = told.map(({ value }) => Number(value.toFixed(3))).join(', ') || 'none';
  const before = judged.length === told.length ? '' : `${judged.length - told.length} from before the start; `;
  const reason = `${breaching} of the last ${wanted} periods of ${alarm.periodMs / 1000} s breach (values: ${shown}; ${before}${missing.length} missing; ${alarm.comparison} ${alarm.threshold})`;
  if (breaching >= alarm.datapointsToAlarm) return { state: 'ALARM', reason };
  if (judged.length === 0 && missingIs === 'missing') return { state: 'INSUFFICIENT_DATA', reason };
  if (judged.length === 0 && missingIs === 'ignore') return undefined;
  return { state: 'OK', reason };
}

const comparisons: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
};
