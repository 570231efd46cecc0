import { type Alarm, AlarmRule, CompositeAlarm, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { ArnFormat, Duration, NestedStack, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { nameIn, type Place } from '#core/names.ts';
import type { AlarmContext, AlarmSpec } from '../alarms/alarm-spec.ts';
import { deployAlarm } from '../alarms/deploy-alarm.ts';
import { gatewayMetric } from '../alarms/gateway-metric.ts';
import { ingestAlarms } from '../alarms/ingest-alarms.ts';
import { lostMetricAlarms } from '../alarms/lost-metric-alarms.ts';
import { describeAlarm, makeAlarm, nameOfAlarm, shortMinutes } from '../alarms/make-alarm.ts';
import { processAlarms } from '../alarms/process-alarms.ts';
import { reconcileAlarms } from '../alarms/reconcile-alarms.ts';
import { sweepAlarms } from '../alarms/sweep-alarms.ts';
import { withThresholds } from '../alarms/thresholds.ts';
import { toConstructId } from '../construct-id.ts';
import { AlarmTopics, tellTopic } from './alarm-topics.ts';

const COMPOSITES = {
  // A request refused during a deploy is lost to a provider that never retries: this one always pages.
  'ingest-broken': { meaning: 'Webhooks are not accepted as they should be', waitsForDeploy: false },
  'processing-broken': { meaning: 'Accepted events are not processed as they should be', waitsForDeploy: true },
} as const;

/** For the deploy alarm to hear of a deploy, and for what a deploy stirred up to settle (docs/decisions/which-alarms-exist-and-who-hears-once.md). */
const DEPLOY_WAIT = Duration.minutes(2);
const DEPLOY_EXTENSION = Duration.minutes(2);

export type GatewayAlarmsProps = Omit<AlarmContext, 'metric' | 'errorsOf' | 'holdfast' | 'minutes'>;

/** An alarm as others of the stack refer to it: those of a nested stack by their name, which needs no output of it. */
export interface PlacedAlarm {
  readonly spec: AlarmSpec;
  readonly name: string;
  readonly arn: string;
}

/**
 * All alarms of one environment, each with its meaning, the first command to run and its runbook. Those of one source are
 * in nested stacks, one for each kind: a stack holds 500 resources.
 */
export class GatewayAlarms extends Construct {
  readonly topics: AlarmTopics;
  readonly alarms: readonly PlacedAlarm[];
  readonly composites: readonly IAlarm[];

  constructor(scope: Construct, id: string, props: GatewayAlarmsProps) {
    super(scope, id);
    const { deployment } = props;
    const place = deployment.config;
    const { environment } = place;
    this.topics = new AlarmTopics(this, 'Topics', { targets: deployment.alarmTargets });
    const context: AlarmContext = {
      ...props,
      metric: (name, options) => gatewayMetric(name, place, options),
      errorsOf: name => `npm run holdfast -- logs --of ${name} --errors --env ${environment}`,
      holdfast: command => `npm run holdfast -- ${command} --env ${environment}`,
      minutes: deployment.emulated ? shortMinutes : Duration.minutes,
    };
    const lists = [ingestAlarms, processAlarms, sweepAlarms, reconcileAlarms, lostMetricAlarms];
    const specs = withThresholds(
      lists.flatMap(list => list(context)),
      deployment,
      'receiving',
    );
    const wanted = specs.filter(spec => deployment.alarms === 'all' || spec.essential === true);
    // The local AWS makes neither composite alarms nor nested stacks.
    const isWhole = !deployment.emulated;
    const placed = new Map(
      wanted.map(spec => [spec, this.#addAlarm(this.#scopeOf(spec, isWhole), spec, place, isWhole)]),
    );
    const spec = isWhole ? deployAlarm(this, environment) : undefined;
    const deploying = spec && this.#addAlarm(this, spec, place, isWhole);
    if (spec && deploying) placed.set(spec, deploying);
    this.alarms = [...placed].map(([each, alarm]) => {
      const name = nameOfAlarm(place, each);
      return { spec: each, name, arn: each.source === undefined ? alarm.alarmArn : arnOf(this, name) };
    });
    this.composites = deploying ? this.#addComposites(place, placed, deploying) : [];
  }

  #scopeOf({ id, source }: AlarmSpec, isWhole: boolean): Construct {
    if (source === undefined) return this;
    const ofSources = isWhole ? toConstructId(id) : 'Sources';
    const kind =
      this.node.tryFindChild(ofSources) ??
      (isWhole ? new NestedStack(this, ofSources) : new Construct(this, ofSources));
    return (kind.node.tryFindChild(source) as Construct | undefined) ?? new Construct(kind, source);
  }

  #addAlarm(scope: Construct, spec: AlarmSpec, place: Place, hasComposites: boolean): Alarm {
    const alarm = makeAlarm(scope, spec, place);
    // One incident, one page: where a composite pages for it, the alarm itself only leaves a notice.
    const severity = hasComposites && spec.partOf !== undefined ? 'notice' : spec.severity;
    tellTopic(alarm, spec.namesDeaths ? this.topics.deaths : this.topics.topics[severity]);
    return alarm;
  }

  #addComposites(place: Place, placed: ReadonlyMap<AlarmSpec, Alarm>, deploying: Alarm): readonly IAlarm[] {
    return Object.entries(COMPOSITES).flatMap(([name, { meaning, waitsForDeploy }]) => {
      const members = [...placed].filter(([spec]) => spec.partOf === name);
      if (members.length === 0) return [];
      const composite = new CompositeAlarm(this, name, {
        compositeAlarmName: nameIn(place, name),
        alarmDescription: describeAlarm(
          {
            id: name,
            severity: 'page',
            meaning: `${meaning}: at least one of ${members.map(([spec]) => spec.id).join(', ')}.`,
            firstCommand: `npm run holdfast -- status --env ${place.environment}`,
          },
          place.environment,
        ),
        alarmRule: AlarmRule.anyOf(...members.map(([, alarm]) => alarm)),
        ...(waitsForDeploy && {
          actionsSuppressor: deploying,
          actionsSuppressorWaitPeriod: DEPLOY_WAIT,
          actionsSuppressorExtensionPeriod: DEPLOY_EXTENSION,
        }),
      });
      tellTopic(composite, this.topics.topics.page);
      return [composite];
    });
  }
}

function arnOf(scope: Construct, alarmName: string): string {
  const parts = { service: 'cloudwatch', resource: 'alarm', arnFormat: ArnFormat.COLON_RESOURCE_NAME };
  return Stack.of(scope).formatArn({ ...parts, resourceName: alarmName });
}
