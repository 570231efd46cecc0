import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Construct } from 'constructs';
import type { Severity } from '#core/config/gateway-config.ts';
import type { AlarmContext, AlarmSpec } from '../alarms/alarm-spec.ts';
import { gatewayMetric } from '../alarms/gateway-metric.ts';
import { ingestAlarms } from '../alarms/ingest-alarms.ts';
import { processAlarms } from '../alarms/process-alarms.ts';
import { sweepAlarms } from '../alarms/sweep-alarms.ts';
import { AlarmTopics } from './alarm-topics.ts';

const OPERATORS = {
  above: ComparisonOperator.GREATER_THAN_THRESHOLD,
  atLeast: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  below: ComparisonOperator.LESS_THAN_THRESHOLD,
} as const;

const COMPOSITES = {
  'ingest-broken': 'Webhooks are not accepted as they should be',
  'processing-broken': 'Accepted events are not processed as they should be',
} as const;

export type GatewayAlarmsProps = Omit<AlarmContext, 'metric' | 'errorsOf'>;

/** All alarms of one environment, each with its meaning, the first command to run and its runbook. */
export class GatewayAlarms extends Construct {
  readonly topics: AlarmTopics;
  readonly alarms: readonly { readonly spec: AlarmSpec; readonly alarm: Alarm }[];
  readonly composites: readonly IAlarm[];

  constructor(scope: Construct, id: string, props: GatewayAlarmsProps) {
    super(scope, id);
    const { deployment, functions } = props;
    const environment = deployment.config.environment;
    this.topics = new AlarmTopics(this, 'Topics', { targets: deployment.alarmTargets });
    const context: AlarmContext = {
      ...props,
      metric: (name, options) => gatewayMetric(name, environment, options),
      errorsOf: name =>
        `aws logs tail ${functions[name].logGroup.logGroupName} --since 30m --filter-pattern '{ $.level = "ERROR" || $.level = "WARN" }'`,
    };
    const wanted = [ingestAlarms, processAlarms, sweepAlarms]
      .flatMap(list => list(context, Duration.minutes(1)))
      .filter(spec => deployment.alarms === 'all' || spec.essential === true);
    const hasComposites = !deployment.emulated;
    this.alarms = wanted.map(spec => ({ spec, alarm: this.addAlarm(spec, environment, hasComposites) }));
    this.composites = hasComposites ? this.addComposites(environment) : [];
  }

  private addAlarm(spec: AlarmSpec, environment: string, hasComposites: boolean): Alarm {
    const [datapointsToAlarm, evaluationPeriods] = spec.datapoints;
    const alarm = new Alarm(this, spec.id, {
      alarmName: `holdfast-${environment}-${spec.id}`,
      alarmDescription: describe(spec.severity, spec.meaning, spec.firstCommand, spec.runbook ?? spec.id),
      metric: spec.metric,
      threshold: spec.threshold,
      comparisonOperator: OPERATORS[spec.fires ?? 'atLeast'],
      evaluationPeriods,
      datapointsToAlarm,
      treatMissingData: spec.missing === 'breaching' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    // One incident, one page: where a composite pages for it, the alarm itself only leaves a notice.
    this.notify(alarm, hasComposites && spec.partOf !== undefined ? 'notice' : spec.severity);
    return alarm;
  }

  private addComposites(environment: string): readonly IAlarm[] {
    return Object.entries(COMPOSITES).flatMap(([name, meaning]) => {
      const members = this.alarms.filter(({ spec }) => spec.partOf === name);
      const first = members[0];
      if (!first) return [];
      const composite = new CompositeAlarm(this, name, {
        compositeAlarmName: `holdfast-${environment}-${name}`,
        alarmDescription: describe(
          'page',
          `${meaning}: at least one of ${members.map(({ spec }) => spec.id).join(', ')}.`,
          `aws cloudwatch describe-alarms --state-value ALARM --alarm-name-prefix holdfast-${environment}- --query 'MetricAlarms[].[AlarmName,AlarmDescription]'`,
          name,
        ),
        alarmRule: AlarmRule.anyOf(...members.map(({ alarm }) => alarm)),
      });
      const action = new SnsAction(this.topics.topics.page);
      composite.addAlarmAction(action);
      composite.addOkAction(action);
      return [composite];
    });
  }

  private notify(alarm: Alarm, severity: Severity): void {
    const action = new SnsAction(this.topics.topics[severity]);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}

function describe(severity: Severity, meaning: string, firstCommand: string, runbook: string): string {
  return `${severity}: ${meaning}\nFirst: ${firstCommand}\nRunbook: docs/runbooks/${runbook}.md`;
}
