import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { EVENT_INDEXES } from '#core/inbound/protocol/event-item.ts';
import { ACCOUNT_LIMIT, type AlarmContext, type AlarmList, type AlarmSpec } from './alarm-spec.ts';
import { writeThrottles } from './gateway-metric.ts';

/** A second look of the sweeper makes good ten minutes; AWS refuses a call that is signed five minutes off. */
const CLOCK_SECONDS = 60;
/**
 * Three nights without a finished pass. It leaves weeks: bodies of open events get a longer life from the audit alone, and
 * without it they live 37 days.
 */
const PASS_SECONDS = 3 * 86_400;
const HOUR = Duration.hours(1);
/** From one night's first run to the next night's last. */
const AUDIT_HOURS = 28;

/** The safety net itself: the sweeper, the nightly audit, the tables, the account. */
export const sweepAlarms: AlarmList = context => {
  // What a schedule reports comes once a minute, also where other minutes are short.
  const minute = Duration.minutes(1);
  const { deployment, store } = context;
  const throttled = (id: string, what: string, metric: Metric): AlarmSpec => ({
    id: `ingest-table-throttled-${id}`,
    severity: 'page',
    partOf: 'ingest-broken',
    metric,
    // The latest minute is 0 until CloudWatch has it.
    datapoints: [2, 5],
    meaning: `DynamoDB throttles writes to ${what}: events are accepted through the queue alone, or refused. The first command names the limit: one key, the table or the account.`,
    firstCommand: context.holdfast('status'),
  });
  return [
    {
      id: 'sweep-oldest-unfinished',
      severity: 'page',
      partOf: 'processing-broken',
      metric: context.metric('UnfinishedOldestAge', { statistic: 'Maximum', period: minute }),
      threshold: deployment.emulated ? 60 : 600,
      fires: 'above',
      datapoints: [3, 5],
      // No number is not a late event: sweep-not-running pages for that.
      meaning: 'An event is overdue by many minutes: it was neither processed nor retried when it should have been.',
      firstCommand: context.holdfast('status'),
    },
    {
      id: 'sweep-unsent-records',
      severity: 'page',
      partOf: 'processing-broken',
      metric: context.metric('UnsentOldestAge', { statistic: 'Maximum', period: minute }),
      threshold: deployment.emulated ? 100 : 300,
      fires: 'above',
      datapoints: [2, 3],
      meaning: 'A recorded event has not been sent to the queue, and the sweeper could not send it either.',
      firstCommand: context.holdfast('status'),
    },
    {
      id: 'sweep-not-running',
      severity: 'page',
      essential: true,
      partOf: 'processing-broken',
      // A run says that it ended well, once a minute.
      metric: context.metric('SweeperRuns', { statistic: 'Sum', period: minute }),
      fires: 'below',
      datapoints: [5, 5],
      missing: 'breaching',
      meaning:
        'No run of the sweeper has ended well for five minutes: it does not begin, or it fails. Until one does, nobody measures how long events wait, and an event whose message was lost stays unprocessed.',
      firstCommand: context.holdfast('doctor'),
    },
    {
      id: 'sweep-paused-too-long',
      severity: 'ticket',
      metric: context.metric('PausedOldestAge', { statistic: 'Maximum', period: Duration.minutes(5) }),
      threshold: 4 * 3600,
      fires: 'above',
      meaning: 'Events of a paused source have waited for hours. Somebody may have forgotten to resume it.',
      firstCommand: context.holdfast('sources ls'),
    },
    {
      id: 'sweep-parked-overdue',
      severity: 'ticket',
      metric: context.metric('ParkedDue', { statistic: 'Maximum', period: Duration.minutes(5) }),
      threshold: 3600,
      fires: 'above',
      meaning: 'Parked events are due and not sent: the sweeper is behind, or its send rate is too low.',
      firstCommand: context.holdfast('status'),
    },
    {
      id: 'clock-difference',
      severity: 'ticket',
      metric: context.metric('ClockDifference', { statistic: 'Maximum', period: minute }),
      threshold: CLOCK_SECONDS,
      fires: 'above',
      datapoints: [2, 5],
      meaning:
        'The clock of a function is more than a minute away from the clock of the services it calls. Up to ten minutes lose nothing, but from 90 seconds on the feed may miss messages. AWS refuses calls from a clock that is further off.',
      firstCommand: context.holdfast('doctor'),
    },
    ...probeAlarms(context),
    {
      id: 'audit-ledger-mismatch',
      severity: 'ticket',
      metric: context.metric('LedgerMismatch', { statistic: 'Maximum', period: HOUR }),
      // Until the next night.
      datapoints: [1, 24],
      meaning: 'The nightly audit found records that break a rule of the protocol.',
      firstCommand: context.holdfast(`logs --of audit --since ${AUDIT_HOURS}h`),
    },
    {
      id: 'audit-not-running',
      severity: 'ticket',
      // Each run that looks at records says how many are wrong.
      metric: context.metric('LedgerMismatch', { statistic: 'SampleCount', period: HOUR }),
      fires: 'below',
      datapoints: [AUDIT_HOURS, AUDIT_HOURS],
      missing: 'breaching',
      meaning: `The nightly audit has looked at no record for ${AUDIT_HOURS} hours.`,
      firstCommand: context.holdfast(`logs --of audit --since ${AUDIT_HOURS}h`),
    },
    {
      id: 'audit-behind',
      severity: 'ticket',
      // The runs of a night tell it, and only while it is more than a day.
      metric: context.metric('LedgerPassAge', { statistic: 'Maximum', period: HOUR }),
      threshold: PASS_SECONDS,
      fires: 'above',
      datapoints: [1, 24],
      meaning:
        'The nightly audit has not reached the last record for three days: it needs more time than the nights have.',
      firstCommand: context.holdfast('status'),
    },
    throttled('events', 'the events table', writeThrottles(minute, store.events.tableName)),
    ...Object.values(EVENT_INDEXES).map(index =>
      throttled(index.name, `the ${index.name} index`, writeThrottles(minute, store.events.tableName, index.name)),
    ),
    throttled('payloads', 'the payloads table', writeThrottles(minute, store.payloads.tableName)),
    {
      id: 'ingest-account-concurrency',
      severity: 'ticket',
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'ConcurrentExecutions',
        statistic: 'Maximum',
        period: minute,
      }),
      threshold: 800,
      fires: 'above',
      datapoints: [3, 5],
      meaning:
        'All functions of the account together come near its concurrency limit; beyond it, webhooks are refused.',
      firstCommand: ACCOUNT_LIMIT,
    },
  ];
};

/** The gateway seen from outside, once a minute. */
function probeAlarms(context: AlarmContext): readonly AlarmSpec[] {
  const { deployment } = context;
  if (deployment.probe === undefined) return [];
  return [
    {
      id: 'probe-missing-or-slow',
      severity: 'page',
      essential: true,
      metric: context.metric('ProbeLatency', { statistic: 'p99', period: Duration.minutes(1) }),
      threshold: 2_000,
      fires: 'above',
      // CloudWatch has the latest minute late: of it alone it cannot be told that nothing came.
      datapoints: [3, 3],
      missing: 'breaching',
      meaning:
        'A signed event goes through the public URL every minute. For three minutes it was not completed, or not in time: webhooks are not received, or not processed.',
      firstCommand: context.holdfast('doctor'),
    },
  ];
}
