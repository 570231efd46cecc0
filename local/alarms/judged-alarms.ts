/** What the local alarms judge, for the console of `npm start`: the local AWS has no metrics of its own. */
import type { AlarmGraph } from '#operator/gateway.ts';
import type { AlarmDefinition } from './alarm-definition.ts';

const SPAN_MS = 2 * 3_600_000;
const MOST_POINTS = 240;

export class JudgedAlarms {
  #alarms: readonly AlarmDefinition[] = [];

  /** The alarms of the stacks that are deployed now. */
  set(alarms: readonly AlarmDefinition[]): void {
    this.#alarms = alarms;
  }

  /** Undefined: no such alarm. Periods end now, as they are judged here. */
  graph(name: string, now: number): AlarmGraph | undefined {
    const alarm = this.#alarms.find(each => each.name === name);
    if (alarm === undefined) return undefined;
    const { periodMs, threshold, comparison, evaluationPeriods, datapointsToAlarm, missing } = alarm;
    const series = alarm.seriesAt(now);
    const count = Math.min(MOST_POINTS, Math.ceil(SPAN_MS / periodMs));
    const points = Array.from({ length: count }, (_, n) => count - 1 - n).flatMap(period => {
      const value = series(period);
      return value === undefined ? [] : [{ at: now - (period + 1) * periodMs, value }];
    });
    const needed = { periods: evaluationPeriods, needed: datapointsToAlarm };
    return { points, from: now - count * periodMs, periodMs, threshold, comparison, ...needed, missing };
  }
}
