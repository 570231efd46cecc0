import { GraphWidget, type IMetric, type IWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { given } from '#core/given.ts';
import type { MetricName } from '#core/metrics.ts';
import type { Place } from '#core/names.ts';
import { gatewayMetric } from '../alarms/gateway-metric.ts';
import type { DeliveryQueues } from './delivery-queues.ts';

/** Three rows of the dashboard: do customers get their webhooks, who is failing, do we keep up. */
export function deliveryRows(place: Place, queues: DeliveryQueues): readonly (readonly IWidget[])[] {
  const metric = (name: MetricName, statistic = 'Sum', dimensions?: Record<string, string>): IMetric =>
    gatewayMetric(name, place, {
      statistic,
      label: dimensions === undefined ? name : Object.values(dimensions).join(' '),
      ...given({ dimensions }),
    });
  const graph = (title: string, left: IMetric[], right: IMetric[] = []): IWidget =>
    new GraphWidget({ title, left, right, width: 8, height: 6, period: Duration.minutes(1) });
  const heading = (text: string): IWidget => new TextWidget({ markdown: `## ${text}`, width: 24, height: 1 });
  const age = (queue: DeliveryQueues['jobs'], label: string): IMetric =>
    queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', label });
  const waiting = (queue: DeliveryQueues['jobs'], label: string): IMetric =>
    queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', label });
  const failures = ['timeout', 'connect', 'dns', 'tls', 'server_error', 'busy', 'denied', 'message_refused'] as const;
  return [
    [heading('Do customers get their webhooks?')],
    [
      graph(
        'Published, delivered',
        [metric('Published'), metric('Delivered')],
        [metric('PublishRefused'), metric('PublishReported')],
      ),
      graph(
        '202 to first byte, ms',
        ['p50', 'p99'].map(p => metric('FirstAttemptDelay', p)),
      ),
      graph(
        'First attempts',
        [metric('FirstAttempts'), metric('FirstAttemptsOk')],
        [metric('WaitingOldestHealthyAge', 'Maximum')],
      ),
    ],
    [heading('Whose servers fail?')],
    [
      graph(
        'Failed attempts, by class',
        failures.map(name => metric('DeliveryAttempts', 'Sum', { class: name })),
      ),
      graph(
        'Endpoints',
        [metric('EndpointsOnHold', 'Maximum'), metric('EndpointsShut', 'Maximum')],
        [metric('EndpointsDisabled')],
      ),
      graph('Ended without success', [metric('DeadDeliveries'), metric('EndedUnsent')], [metric('DeliveryRetries')]),
    ],
    [heading('Does sending keep up?')],
    [
      graph('Oldest, seconds', [age(queues.jobs, 'job'), age(queues.wakeFast, 'fast'), age(queues.wakeSlow, 'slow')]),
      graph(
        'Waiting',
        [
          waiting(queues.jobs, 'jobs'),
          waiting(queues.wakeFast, 'fast'),
          waiting(queues.wakeSlow, 'slow'),
          metric('DeliveriesWaiting', 'Maximum'),
        ],
        [waiting(queues.jobsDead, 'dead jobs'), waiting(queues.wakesDead, 'dead wake-ups')],
      ),
      graph(
        'Safety net',
        [metric('TendRuns'), metric('WakeLost'), metric('FanOutLost')],
        [metric('SessionsRobbed'), metric('OwnFault')],
      ),
    ],
  ];
}
