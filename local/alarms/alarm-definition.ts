import type { StackTemplate } from '#local/stacks/assembly.ts';
import type { DeployedStack } from '#local/stacks/deployed-stack.ts';
import { resolveReferences } from '#local/stacks/resolve-references.ts';
import { compileMetricMath, type Series } from './metric-math.ts';
import { type MetricId, type MetricStore, statistic } from './metric-store.ts';

/** An alarm as CloudWatch evaluates it. */
export interface AlarmDefinition {
  readonly name: string;
  readonly periodMs: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  readonly comparison: string;
  readonly missing: 'breaching' | 'notBreaching' | 'ignore' | 'missing';
  /** Whatever `missing` says: a metric of AWS/DynamoDB that no expression fills. @default false */
  readonly keepsStateWhenMissing?: boolean;
  /** The series it compares, seen from a moment (epoch ms): periods count back from there. */
  readonly seriesAt: (now: number) => Series;
}

interface MetricStat {
  readonly Metric: { Namespace: string; MetricName: string; Dimensions?: readonly { Name: string; Value: string }[] };
  readonly Period: number;
  readonly Stat: string;
}
interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: MetricStat;
  readonly ReturnData?: boolean;
  readonly Period?: number;
}

/**
 * The alarms of the deployed stacks over these metrics. `skipped` says which cannot be evaluated here, and why (anomaly
 * bands, functions of metric math we do not have).
 */
export function readAlarms(
  stacks: readonly DeployedStack[],
  store: MetricStore,
): { readonly alarms: readonly AlarmDefinition[]; readonly skipped: readonly string[] } {
  const alarms: AlarmDefinition[] = [];
  const skipped: string[] = [];
  for (const stack of stacks) {
    for (const [id, resource] of alarmResources(stack.template)) {
      const name = stack.physicalIds[id];
      if (name === undefined) continue;
      try {
        const properties = resolveReferences(resource.Properties, stack, stacks) as Readonly<Record<string, unknown>>;
        alarms.push(readAlarm(name, properties, store));
      } catch (error) {
        skipped.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return { alarms, skipped };
}

function alarmResources(template: StackTemplate) {
  return Object.entries(template.Resources ?? {}).filter(([, it]) => it.Type === 'AWS::CloudWatch::Alarm');
}

function readAlarm(name: string, it: Readonly<Record<string, unknown>>, store: MetricStore): AlarmDefinition {
  const queries = it['Metrics'] as readonly MetricQuery[] | undefined;
  const single: MetricStat | undefined = queries
    ? undefined
    : {
        Metric: {
          Namespace: String(it['Namespace']),
          MetricName: String(it['MetricName']),
          Dimensions: (it['Dimensions'] ?? []) as readonly { Name: string; Value: string }[],
        },
        Period: Number(it['Period']),
        Stat: String(it['ExtendedStatistic'] ?? it['Statistic']),
      };
  const periodSeconds = single?.Period ?? periodOf(queries ?? []);
  const evaluationPeriods = Number(it['EvaluationPeriods']);
  if (it['Threshold'] === undefined) throw new RangeError('an anomaly band is not evaluated locally');
  return {
    name,
    periodMs: periodSeconds * 1000,
    evaluationPeriods,
    datapointsToAlarm: Number(it['DatapointsToAlarm'] ?? evaluationPeriods),
    threshold: Number(it['Threshold']),
    comparison: String(it['ComparisonOperator']),
    missing: (it['TreatMissingData'] ?? 'missing') as AlarmDefinition['missing'],
    keepsStateWhenMissing: single?.Metric.Namespace === 'AWS/DynamoDB',
    seriesAt: single ? now => statSeries(single, store, now) : compileQueries(queries ?? [], store),
  };
}

function periodOf(queries: readonly MetricQuery[]): number {
  const periods = queries.flatMap(query => query.MetricStat?.Period ?? query.Period ?? []);
  return periods.length === 0 ? 60 : Math.max(...periods);
}

function compileQueries(queries: readonly MetricQuery[], store: MetricStore): (now: number) => Series {
  const build = (now: number): Series => {
    const find = (id: string): Series => {
      const query = queries.find(each => each.Id === id);
      if (query?.MetricStat) return statSeries(query.MetricStat, store, now);
      if (query?.Expression === undefined)
        throw new RangeError(`Metric math names "${id}", which the alarm does not define`);
      return compileMetricMath(query.Expression, find);
    };
    const returned = queries.find(query => query.ReturnData !== false) ?? queries[0];
    return find(returned?.Id ?? '');
  };
  // Compiled once now, so that what cannot be evaluated is known before the first evaluation.
  build(0);
  return build;
}

function statSeries(stat: MetricStat, store: MetricStore, now: number): Series {
  const metric: MetricId = {
    namespace: stat.Metric.Namespace,
    name: stat.Metric.MetricName,
    dimensions: Object.fromEntries((stat.Metric.Dimensions ?? []).map(({ Name, Value }) => [Name, Value])),
  };
  const lengthMs = stat.Period * 1000;
  return period => {
    const until = now - period * lengthMs;
    return statistic(stat.Stat, store.values(metric, until - lengthMs, until));
  };
}
