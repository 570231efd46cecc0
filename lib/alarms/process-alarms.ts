import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { AlarmContext, AlarmList, AlarmSpec } from './alarm-spec.ts';
import { percentOf } from './gateway-metric.ts';

/** Under which an event is accepted and done, in 99 of 100 cases (docs/operate/service-levels.md). */
export const PROCESSING_TARGET_MS = 500;
const SUM = { statistic: 'Sum' } as const;

/** Dead letters, a queue that does not drain, handlers that fail. */
export const processAlarms: AlarmList = context => {
  const minute = context.minutes(1);
  const { queue, functions, deployment } = context;
  const process = functions.process.function;
  const timeoutSeconds = deployment.config.timings.processTimeoutMs / 1_000;
  const status = context.holdfast('status');
  const deadLetters = context.holdfast('dlq ls');
  return [
    {
      id: 'process-dead-letters-waiting',
      severity: 'ticket',
      essential: true,
      // A person looking at the queue makes messages invisible: both numbers, or looking would silence the alarm.
      metric: new MathExpression({
        expression: 'FILL(visible, 0) + FILL(hidden, 0)',
        usingMetrics: { visible: queue.metricDead(), hidden: queue.metricDeadInFlight() },
        period: minute,
        label: 'Messages in the dead-letter queue',
      }),
      meaning: 'Events have used up their attempts, or cannot be processed at all, and wait for a person.',
      firstCommand: deadLetters,
    },
    {
      id: 'process-dead-letters-open',
      severity: 'ticket',
      metric: context.metric('OpenDeadLetters', { statistic: 'Maximum', period: Duration.minutes(1) }),
      meaning:
        'Events are dead, and nobody has replayed or closed them. The number comes from the records, so it is right even if the queue was emptied.',
      firstCommand: deadLetters,
    },
    {
      id: 'process-new-dead-letters',
      severity: 'page',
      essential: true,
      metric: context.metric('DeadLettered', { statistic: 'Sum', period: minute }),
      namesDeaths: true,
      meaning:
        'An event has just become a dead letter. The alarm goes back to OK by itself, so that the next one notifies again.',
      firstCommand: deadLetters,
    },
    {
      id: 'process-dead-letter-expiring',
      severity: 'ticket',
      essential: true,
      metric: context.metric('DlqOldestExpiresIn', { statistic: 'Minimum', period: Duration.minutes(5) }),
      threshold: 3 * 24 * 3600,
      fires: 'below',
      meaning:
        'The retention of the dead-letter queue will soon delete the oldest message. The record of its event stays.',
      firstCommand: deadLetters,
    },
    {
      id: 'process-schema-changed',
      severity: 'notice',
      metric: context.metric('SchemaChanged', { statistic: 'Sum', period: context.minutes(5) }),
      meaning: 'A provider changed the structure of its events: paths came or went, or changed their type.',
      firstCommand: context.holdfast('logs --of process --where stage=schema'),
    },
    {
      id: 'process-queue-age',
      severity: 'ticket',
      metric: queue.metricOldestAge({ period: minute }),
      threshold: deployment.emulated ? 30 : Math.max(60, 2 * timeoutSeconds),
      fires: 'above',
      datapoints: [3, 5],
      meaning: 'The oldest message waits longer than it should: processing is slower than arrival.',
      firstCommand: status,
    },
    {
      id: 'process-queue-age-page',
      severity: 'page',
      essential: true,
      metric: queue.metricOldestAge({ period: minute }),
      threshold: deployment.emulated ? 90 : Math.max(600, 20 * timeoutSeconds),
      fires: 'above',
      datapoints: [3, 5],
      meaning: 'The oldest message has waited for many minutes: processing has stopped or cannot keep up.',
      firstCommand: status,
    },
    {
      id: 'process-in-flight-full',
      severity: 'page',
      partOf: 'processing-broken',
      metric: queue.metricInFlight({ period: minute }),
      threshold: 60_000,
      fires: 'above',
      datapoints: [2, 3],
      meaning:
        'Half of the 120,000 in-flight slots of the queue are taken; when they are full, everything stops silently.',
      firstCommand: status,
    },
    {
      id: 'process-not-consuming',
      severity: 'page',
      essential: true,
      partOf: 'processing-broken',
      metric: new MathExpression({
        expression: 'IF(FILL(waiting, 0) > 0 AND FILL(received, 0) < 1, 1, 0)',
        usingMetrics: { waiting: queue.metricWaiting(), received: queue.metricReceived() },
        period: minute,
        label: 'Messages wait and nobody takes them',
      }),
      datapoints: [5, 5],
      meaning:
        'Messages wait and none was received for five minutes: the mapping of the process function is disabled or broken.',
      firstCommand: context.holdfast('doctor'),
    },
    {
      id: 'process-queue-deep',
      severity: 'ticket',
      metric: queue.metricWaiting({ period: minute }),
      threshold: 500 * deployment.queue.maxConcurrency,
      fires: 'above',
      datapoints: [3, 5],
      meaning: 'Thousands of messages wait.',
      firstCommand: status,
    },
    {
      id: 'process-queue-deep-page',
      severity: 'page',
      metric: queue.metricWaiting({ period: minute }),
      threshold: 2_500 * deployment.queue.maxConcurrency,
      fires: 'above',
      // Ten minutes on end: a backlog that is draining has left this depth by then.
      datapoints: [10, 10],
      meaning: 'Tens of thousands of messages have waited for ten minutes.',
      firstCommand: status,
    },
    {
      id: 'process-errors',
      severity: 'ticket',
      metric: process.metricErrors({ statistic: 'Sum', period: minute }),
      datapoints: [3, 5],
      meaning:
        'The process function crashes or times out: whole batches come back. A failing handler does not count here.',
      firstCommand: context.errorsOf('process'),
    },
    {
      id: 'process-lease-lost',
      severity: 'ticket',
      metric: context.metric('LeaseLost', { statistic: 'Sum', period: context.minutes(5) }),
      threshold: 5,
      meaning:
        'Handlers run longer than their lease, so another run takes the event over. Effects in DynamoDB still happen once.',
      firstCommand: context.errorsOf('process'),
    },
    {
      id: 'process-slow',
      severity: 'ticket',
      metric: context.metric('ProcessingLatency', { statistic: 'p99', period: minute }),
      threshold: PROCESSING_TARGET_MS,
      fires: 'above',
      datapoints: [3, 5],
      meaning: 'One event in a hundred takes too long from accepted to done.',
      firstCommand: status,
    },
    {
      id: 'process-retry-rate',
      severity: 'ticket',
      metric: percentOf(
        { retries: context.metric('Retries', SUM), attempts: context.metric('Attempts', SUM) },
        {
          ...{ least: 20, period: minute },
          label: 'Attempts that are retries, percent',
        },
      ),
      threshold: 10,
      fires: 'above',
      datapoints: [3, 5],
      meaning: 'Many attempts are retries: something the handlers call is failing.',
      firstCommand: status,
    },
    {
      id: 'process-error-rate',
      severity: 'ticket',
      metric: percentOf(
        { failed: context.metric('AttemptsFailed', SUM), attempts: context.metric('Attempts', SUM) },
        {
          ...{ least: 20, period: context.minutes(5) },
          label: 'Attempts that failed, percent',
        },
      ),
      threshold: 5,
      fires: 'above',
      // With two, a burst of a minute that lies in both would ring.
      datapoints: [3, 3],
      meaning: 'More than one attempt in twenty has failed for longer than ten minutes, over all sources.',
      firstCommand: status,
    },
    {
      id: 'process-handler-only-fails',
      severity: 'ticket',
      metric: context.metric('NewFailingHandler', { statistic: 'Sum', period: Duration.minutes(1) }),
      meaning:
        'A handler has failed for ten minutes, for two or more events, and succeeded for none. Its events will be dead letters within hours. The first command names the source and the event type.',
      firstCommand: status,
    },
    ...deployment.sources.map(({ source }) => handlerFailures(source.id, context)),
  ];
};

/** Per source: in a sum over all, one source that fails disappears among those that do not. */
function handlerFailures(source: string, context: AlarmContext): AlarmSpec {
  const ofSource = { ...SUM, dimensions: { source } };
  return {
    id: 'process-handler-failures',
    source,
    severity: 'page',
    metric: percentOf(
      { failed: context.metric('AttemptsFailed', ofSource), attempts: context.metric('Attempts', ofSource) },
      {
        ...{ least: 20, period: context.minutes(1) },
        label: `Failed attempts of ${source}, percent`,
      },
    ),
    threshold: 20,
    fires: 'above',
    datapoints: [3, 5],
    meaning: `Handlers for source ${source} fail on a large part of the events: they will be dead letters within hours.`,
    firstCommand: context.holdfast('status'),
  };
}
