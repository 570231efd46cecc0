import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type GraphWidgetProps,
  type IMetric,
  type IWidget,
  MathExpression,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { MetricName } from '#core/metrics.ts';
import { metricNamespace, nameIn, type Place } from '#core/names.ts';
import type { AlarmContext } from '../alarms/alarm-spec.ts';
import { gatewayMetric } from '../alarms/gateway-metric.ts';
import { PROCESSING_TARGET_MS } from '../alarms/process-alarms.ts';
import { queryWidgets } from './dashboard-queries.ts';
import type { DeliveryQueues } from './delivery-queues.ts';
import { deliveryRows } from './delivery-rows.ts';
import type { PlacedAlarm } from './gateway-alarms.ts';

export interface GatewayDashboardProps extends Pick<AlarmContext, 'deployment' | 'queue' | 'api' | 'functions'> {
  /** Shown as tiles on top. @default none */
  readonly alarms?: readonly PlacedAlarm[];
  /** Of what is sent to customers. @default none */
  readonly outbound?: DeliveryQueues | undefined;
}

/** An alarm widget takes 1 to 100 alarms; with more, CloudWatch refuses the whole dashboard, and the deploy fails. */
const ALARMS_PER_WIDGET = 100;

/** Sources that a graph shows one by one; with four metrics each it stays below the 500 that CloudWatch draws. */
const MOST_LINES = 100;
/** Of more sources a graph shows these, as CloudWatch looks them up. */
const BUSIEST = 50;

function busiestSources(name: MetricName, place: Place): IMetric {
  const found = `SEARCH('{${metricNamespace(place)},environment,source} MetricName="${name}" environment="${place.environment}"', 'Sum', 60)`;
  return new MathExpression({
    expression: `SLICE(SORT(${found}, SUM, DESC), 0, ${BUSIEST})`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudWatch fills it in
    label: ["${PROP('Dim.source')}", name].join(' '),
    period: Duration.minutes(1),
  });
}

/** A line for each cause for which a source refused requests: which there are, CloudWatch looks up when it is shown. */
function refusedByCause(place: Place): IMetric {
  const schema = `{${metricNamespace(place)},environment,source,cause}`;
  const wanted = `MetricName="RequestRefused" environment="${place.environment}"`;
  return new MathExpression({
    expression: `SEARCH('${schema} ${wanted}', 'Sum', 60)`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudWatch fills it in
    label: "${PROP('Dim.source')} ${PROP('Dim.cause')}",
    period: Duration.minutes(1),
  });
}

/** Three questions at a glance, in pipeline order: is it healthy, is there a backlog, is there poison. */
export class GatewayDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: GatewayDashboardProps) {
    super(scope, id);
    const { deployment, queue, api, functions } = props;
    const place = deployment.config;
    const metric = (name: MetricName, statistic: string, dimensions?: Record<string, string>): IMetric =>
      gatewayMetric(name, place, {
        statistic,
        ...(dimensions === undefined ? { label: name } : { dimensions, label: `${name} ${dimensions['source']}` }),
      });
    const isMany = deployment.sources.length > MOST_LINES;
    const perSource = (name: MetricName): IMetric[] => (isMany ? [busiestSources(name, place)] : manyOf(name));
    const manyOf = (name: MetricName): IMetric[] =>
      deployment.sources.map(({ source }) => metric(name, 'Sum', { source: source.id }));
    const reconciled = deployment.sources.filter(({ source }) => source.reconcile);
    const of = (name: MetricName, statistic = 'Sum'): IMetric[] =>
      reconciled.map(({ source }) => metric(name, statistic, { source: source.id }));
    const graph = (title: string, left: IMetric[], right: IMetric[] = []): GraphWidgetProps => ({ title, left, right });
    /** Up to four beside each other. */
    const row = (...graphs: readonly GraphWidgetProps[]): void => {
      const size = { width: 24 / graphs.length, height: 6, period: Duration.minutes(1) };
      this.dashboard.addWidgets(...graphs.map(it => new GraphWidget({ ...it, ...size })));
    };
    const heading = (text: string): IWidget => new TextWidget({ markdown: `## ${text}`, width: 24, height: 1 });

    this.dashboard = new Dashboard(this, 'Dashboard', { dashboardName: nameIn(place) });
    const alarms = (props.alarms ?? []).map(({ name, arn }) => Alarm.fromAlarmArn(this, name, arn));
    for (let from = 0; from < alarms.length; from += ALARMS_PER_WIDGET) {
      const shown = alarms.slice(from, from + ALARMS_PER_WIDGET);
      this.dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: shown, width: 24, height: 6 }));
    }
    this.dashboard.addWidgets(heading('Is it healthy?'));
    row(
      graph('Accepted, by source', perSource('Accepted')),
      graph(
        'Answer time',
        [50, 95, 99].map(p => api.metricLatency({ statistic: `p${p}`, label: `p${p} ms` })),
      ),
      graph(
        'Errors',
        [api.metricServerErrors({ label: '5xx' }), api.metricClientErrors({ label: '4xx' })],
        [metric('DependencyError', 'Sum')],
      ),
      ...(deployment.probe === undefined
        ? []
        : [
            graph('Probe: public URL to completed, ms', [metric('ProbeLatency', 'p50'), metric('ProbeLatency', 'p99')]),
          ]),
    );
    this.dashboard.addWidgets(heading('Is there a backlog?'));
    row(
      graph('Queue', [queue.metricWaiting({ label: 'waiting' }), queue.metricInFlight({ label: 'in flight' })]),
      graph('Oldest', [
        queue.metricOldestAge({ label: 'message, s' }),
        metric('UnfinishedOldestAge', 'Maximum'),
        metric('UnsentOldestAge', 'Maximum'),
        metric('PausedOldestAge', 'Maximum'),
        metric('ParkedDue', 'Maximum'),
      ]),
      {
        title: 'Accepted to done, ms, beside its target',
        left: ['p50', 'p99'].map(p => gatewayMetric('ProcessingLatency', place, { statistic: p, label: p })),
        leftAnnotations: [
          { value: deployment.thresholds['process-slow'] ?? PROCESSING_TARGET_MS, label: 'target of p99' },
        ],
      },
      graph('Time to drain the backlog', [drainTime(queue)]),
    );
    this.dashboard.addWidgets(heading('Is there poison?'));
    row(
      graph(
        'Dead letters',
        [metric('DeadLettered', 'Sum'), metric('OpenDeadLetters', 'Maximum')],
        [queue.metricDead({ label: 'in the queue' })],
      ),
      graph('Attempts', [
        metric('Attempts', 'Sum'),
        metric('AttemptsFailed', 'Sum'),
        metric('Retries', 'Sum'),
        metric('LeaseLost', 'Sum'),
      ]),
      graph('Failed attempts, by source', perSource('AttemptsFailed')),
    );
    row(
      graph('Refused, by source and cause', [refusedByCause(place)]),
      graph('Changed and broken schemas, by source', [...perSource('SchemaChanged'), ...perSource('SchemaMismatch')]),
    );
    this.dashboard.addWidgets(...queryWidgets(functions.process.logGroup));
    this.dashboard.addWidgets(heading('Safety net and outcomes'));
    row(
      graph('Sweeper', [
        metric('SweeperRuns', 'Sum'),
        metric('SweeperResent', 'Sum'),
        metric('UnrecordedAccepted', 'Sum'),
      ]),
      graph('Outcomes, by source', [
        ...perSource('Completed'),
        ...perSource('Rejected'),
        ...perSource('Ignored'),
        ...perSource('SkippedStale'),
      ]),
      graph('Duplicates and conflicts, by source', [...perSource('Duplicate'), ...perSource('PayloadMismatch')]),
    );
    if (reconciled.length > 0)
      row(
        graph('Missing at us, by source', [...of('ReconcileGaps'), ...of('ReconcileHealed')]),
        graph('Behind the provider, seconds', of('ReconcileLag', 'Maximum')),
      );
    for (const widgets of props.outbound ? deliveryRows(place, props.outbound) : [])
      this.dashboard.addWidgets(...widgets);
  }
}

/** A backlog that does not shrink is shown as a day. */
const NEVER_MINUTES = 1_440;

/** Minutes until the waiting messages are gone, at the pace of the minute: what is dealt with, less what comes in. */
function drainTime(queue: AlarmContext['queue']): IMetric {
  const period = Duration.minutes(1);
  return new MathExpression({
    expression: `IF(waiting < 1, 0, IF(deleted > sent, waiting / (deleted - sent), ${NEVER_MINUTES}))`,
    usingMetrics: { waiting: queue.metricWaiting(), deleted: queue.metricDeleted(), sent: queue.metricSent() },
    period,
    label: `minutes (${NEVER_MINUTES}: it does not shrink)`,
  });
}
