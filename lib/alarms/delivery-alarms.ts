import { type IMetric, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Deployment } from '#core/config/deployment.ts';
import type { MetricName } from '#core/metrics.ts';
import { LISTED } from '#core/outbound/protocol/keys.ts';
import type { OutboundFunctionName } from '../bundling/function-names.ts';
import type { DeliveryApi } from '../constructs/delivery-api.ts';
import type { DeliveryQueues } from '../constructs/delivery-queues.ts';
import type { EnvContract, GatewayFunction } from '../constructs/gateway-function.ts';
import type { OutboundStore } from '../constructs/outbound-store.ts';
import type { AlarmSpec } from './alarm-spec.ts';
import { gatewayMetric, percentOf, writeThrottles } from './gateway-metric.ts';

export type DeliveryFunctions = Readonly<
  Record<
    Exclude<OutboundFunctionName, 'drain' | 'portal' | 'contacts'> | 'drain-fast' | 'drain-slow',
    GatewayFunction<EnvContract>
  >
> & { readonly [Name in 'portal' | 'contacts']?: GatewayFunction<EnvContract> };
export interface DeliveryAlarmContext {
  readonly deployment: Deployment;
  readonly store: OutboundStore;
  readonly queues: DeliveryQueues;
  readonly api: DeliveryApi;
  readonly functions: DeliveryFunctions;
  /** Parallel runs of the fast function. */
  readonly fastSlots: number;
  /** Minutes of an alarm: on the local AWS much shorter. */
  minutes(count: number): Duration;
}

/** Of what runs every minute, on the local AWS, too. */
const RUNS = { statistic: 'Sum', period: Duration.minutes(5) } as const;

/** What is sent to customers. A customer's own failing server is never a page: it shows as held, dead or disabled. */
export function deliveryAlarms(context: DeliveryAlarmContext): readonly AlarmSpec[] {
  return [
    ...safetyNet(context),
    ...keepingUp(context),
    ...outcomes(context),
    ...ourselves(context),
    ...(context.functions.contacts ? contacts(context) : []),
  ];
}

const errorsOf = ({ deployment }: DeliveryAlarmContext, name: Exclude<keyof DeliveryFunctions, 'portal'>): string =>
  `npm run holdfast -- logs --of ${name} --errors --env ${deployment.config.environment}`;

/** A metric of ours, over some minutes. */
function ours(context: DeliveryAlarmContext, name: MetricName, minutes: number, statistic = 'Sum'): Metric {
  const period = context.minutes(minutes);
  return gatewayMetric(name, context.deployment.config, { statistic, period });
}

function safetyNet(context: DeliveryAlarmContext): readonly AlarmSpec[] {
  const { queues } = context;
  const visible = (queue: DeliveryQueues['jobs']): IMetric =>
    queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: context.minutes(5) });
  return [
    {
      id: 'delivery-not-tending',
      severity: 'page',
      essential: true,
      metric: gatewayMetric('TendRuns', context.deployment.config, RUNS),
      fires: 'below',
      datapoints: [2, 2],
      missing: 'breaching',
      meaning:
        'The function tend has not run for ten minutes. Endpoints on hold are not tried again, and lost messages are not found.',
      firstCommand: errorsOf(context, 'tend'),
    },
    {
      id: 'delivery-wake-lost',
      severity: 'ticket',
      metric: ours(context, 'WakeLost', 60),
      meaning:
        'Endpoints had something due, and no wake-up was on its way to them. They were woken now. A queue lost their wake-ups.',
      firstCommand: errorsOf(context, 'drain-fast'),
    },
    {
      id: 'delivery-fan-out-lost',
      severity: 'ticket',
      essential: true,
      metric: ours(context, 'FanOutLost', 60),
      meaning:
        'Messages had not reached some endpoints that want them. They were fanned out again. The jobs queue lost their jobs.',
      firstCommand: errorsOf(context, 'fan-out'),
    },
    {
      id: 'delivery-jobs-dead',
      severity: 'page',
      essential: true,
      metric: visible(queues.jobsDead),
      meaning: 'Jobs that fan out messages are in their dead-letter queue. Those messages wait for the hourly check.',
      firstCommand: errorsOf(context, 'fan-out'),
    },
    {
      id: 'delivery-wakes-dead',
      severity: 'ticket',
      metric: visible(queues.wakesDead),
      meaning:
        'Wake-ups are in their dead-letter queue, so something has failed for two days. The endpoint check wakes their endpoints.',
      firstCommand: errorsOf(context, 'drain-fast'),
    },
  ];
}

function keepingUp(context: DeliveryAlarmContext): readonly AlarmSpec[] {
  const { queues, functions, fastSlots } = context;
  const age = (queue: DeliveryQueues['jobs']): IMetric =>
    queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: context.minutes(1) });
  const pair = (
    id: string,
    metric: IMetric,
    [ticket, page]: readonly [number, number],
    told: Pick<AlarmSpec, 'meaning' | 'firstCommand'>,
  ): readonly AlarmSpec[] =>
    (['ticket', 'page'] as const).map(severity => ({
      id: severity === 'page' ? `${id}-page` : id,
      severity,
      metric,
      threshold: severity === 'page' ? page : ticket,
      fires: 'above',
      datapoints: [3, 5],
      ...told,
    }));
  return [
    ...pair('delivery-fan-out-age', age(queues.jobs), [30, 300], {
      meaning: 'Published messages wait to be fanned out to endpoints.',
      firstCommand: errorsOf(context, 'fan-out'),
    }),
    ...pair('delivery-wake-age', age(queues.wakeFast), [10, 60], {
      meaning: 'Healthy endpoints wait: their wake-ups are not taken in time.',
      firstCommand: errorsOf(context, 'drain-fast'),
    }),
    {
      id: 'delivery-slots-full',
      severity: 'page',
      metric: functions['drain-fast'].function.metric('ConcurrentExecutions', {
        statistic: 'Maximum',
        period: context.minutes(1),
      }),
      threshold: Math.ceil(0.9 * fastSlots),
      datapoints: [5, 5],
      meaning: 'Nearly all runs of the fast function are busy: healthy endpoints begin to wait.',
      firstCommand: errorsOf(context, 'drain-fast'),
    },
    ...pair('delivery-first-attempt-slow', ours(context, 'FirstAttemptDelay', 1, 'p99'), [5_000, 30_000], {
      meaning: 'One message in a hundred reaches a healthy endpoint late.',
      firstCommand: errorsOf(context, 'drain-fast'),
    }),
    ...pair('delivery-waiting', ours(context, 'WaitingOldestHealthyAge', 1, 'Maximum'), [30, 300], {
      meaning: 'Messages for healthy endpoints wait for too long.',
      firstCommand: errorsOf(context, 'drain-fast'),
    }),
    {
      id: 'delivery-backlog',
      severity: 'ticket',
      // Told by each audit, every ten minutes.
      metric: ours(context, 'DeliveriesWaiting', 15, 'Maximum'),
      threshold: 10_000,
      meaning: 'Ten thousand first attempts wait at endpoints that are open and not on hold, the oldest for minutes.',
      firstCommand: `npm run holdfast -- out status --env ${context.deployment.config.environment}`,
    },
  ];
}

function outcomes(context: DeliveryAlarmContext): readonly AlarmSpec[] {
  const ended = new MathExpression({
    // Nothing dead, or nothing delivered, is no datapoint.
    expression: 'IF(FILL(dead, 0) + FILL(good, 0) >= 100, 100 * FILL(dead, 0) / (FILL(dead, 0) + FILL(good, 0)), 0)',
    usingMetrics: { dead: ours(context, 'DeadDeliveries', 60), good: ours(context, 'Delivered', 60) },
    period: context.minutes(60),
    label: 'Dead of all that ended, percent',
  });
  const firstFailed = new MathExpression({
    expression: 'IF(whole >= 100, 100 - 100 * FILL(part, 0) / whole, 0)',
    usingMetrics: { part: ours(context, 'FirstAttemptsOk', 30), whole: ours(context, 'FirstAttempts', 30) },
    period: context.minutes(30),
    label: 'First attempts that failed, percent',
  });
  const firstCommand = `npm run holdfast -- out status --env ${context.deployment.config.environment}`;
  const shared = { severity: 'ticket', fires: 'above', firstCommand } as const;
  return [
    {
      ...shared,
      id: 'delivery-first-success-low',
      metric: firstFailed,
      threshold: 5,
      meaning: 'More than one first attempt in twenty fails.',
    },
    {
      ...shared,
      id: 'delivery-retry-rate',
      metric: percentOf(
        { part: ours(context, 'DeliveryRetries', 60), whole: ours(context, 'DeliveryAttempts', 60) },
        { least: 100, period: context.minutes(60), label: 'DeliveryRetries of DeliveryAttempts, percent' },
      ),
      threshold: 10,
      meaning: 'More than one request in ten is a retry.',
    },
    {
      ...shared,
      id: 'delivery-dead',
      metric: ended,
      meaning: 'More than one delivery in a hundred used up its attempts within an hour.',
    },
    {
      ...shared,
      id: 'delivery-disabled-many',
      metric: ours(context, 'EndpointsDisabled', 60),
      threshold: 4,
      meaning: 'Holdfast disabled five or more endpoints within an hour. Check whether that is their fault or ours.',
    },
  ];
}

function ourselves(context: DeliveryAlarmContext): readonly AlarmSpec[] {
  const { api, store } = context;
  const minute = context.minutes(1);
  const errors = new MathExpression({
    expression: 'IF(FILL(errors, 0) >= 5, 100 * FILL(errors, 0) / requests, 0)',
    usingMetrics: { errors: api.metric('5xx'), requests: api.metric('Count') },
    period: minute,
    label: 'Answers 5xx, percent',
  });
  const throttled = (id: string, tableName: string, index?: string): AlarmSpec => ({
    id: `delivery-table-throttled-${id}`,
    severity: 'page',
    metric: writeThrottles(minute, tableName, index),
    // The latest minute is 0 until CloudWatch has it.
    datapoints: [2, 5],
    meaning: 'DynamoDB throttles writes of deliveries: messages are refused with 503, and requests may be sent twice.',
    firstCommand: errorsOf(context, 'drain-fast'),
  });
  const { registry, outbox } = store.tables;
  return [
    {
      id: 'delivery-publish-errors',
      severity: 'page',
      essential: true,
      metric: errors,
      datapoints: [3, 5],
      meaning: 'The API answers 5xx: what producers publish is not accepted.',
      firstCommand: errorsOf(context, 'publish'),
    },
    {
      id: 'delivery-egress-suspect',
      severity: 'page',
      metric: ours(context, 'EgressSuspect', 5),
      meaning:
        'Many endpoints began to fail at once, so the fault is most likely our own network. Their failures use up no attempts, and no endpoint is disabled.',
      firstCommand: errorsOf(context, 'drain-fast'),
    },
    {
      id: 'delivery-own-fault',
      severity: 'page',
      metric: ours(context, 'OwnFault', 5),
      threshold: 20,
      meaning: 'Attempts fail through our own fault. They do not count, and they deliver nothing.',
      firstCommand: errorsOf(context, 'drain-fast'),
    },
    {
      id: 'delivery-lease-lost',
      severity: 'ticket',
      metric: ours(context, 'SessionsRobbed', 15),
      threshold: 5,
      meaning: 'Sessions lost their lease to another session: requests may have been sent twice.',
      firstCommand: errorsOf(context, 'drain-fast'),
    },
    {
      id: 'delivery-forbidden-address',
      severity: 'notice',
      metric: ours(context, 'ForbiddenAddress', 10),
      threshold: 10,
      meaning:
        'Endpoints point to private addresses. Somebody tries to reach them through us, or a name server gives wrong answers. No connection was made.',
      firstCommand: errorsOf(context, 'drain-fast'),
    },
    throttled('registry', registry.tableName),
    throttled('registry-listed', registry.tableName, LISTED.name),
    throttled('outbox', outbox.tableName),
    throttled('outbox-listed', outbox.tableName, LISTED.name),
  ];
}

/** Only where there are contacts; of mails only where they may have mail addresses. */
function contacts(context: DeliveryAlarmContext): readonly AlarmSpec[] {
  const shared = { severity: 'ticket', firstCommand: errorsOf(context, 'contacts') } as const;
  return [
    {
      ...shared,
      id: 'delivery-contacts-untold',
      metric: gatewayMetric('ContactRuns', context.deployment.config, RUNS),
      fires: 'below',
      datapoints: [2, 2],
      missing: 'breaching',
      meaning:
        'The function contacts has made no run without a failed look for ten minutes. Some customers are not told that their endpoints fail.',
    },
    ...(context.deployment.config.outbound?.email
      ? [
          {
            ...shared,
            id: 'delivery-mails-not-taken',
            metric: ours(context, 'MailsNotTaken', 60),
            threshold: 3,
            meaning: 'SES refused three mails to contacts within an hour, or did not answer.',
          },
        ]
      : []),
  ];
}
