import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { DeployedSource } from '#core/config/deployment.ts';
import { REFUSED_FOR_SIGNATURE } from '#core/metrics.ts';
import { publishesAllKeys } from '#core/provider/source-needs.ts';
import { ACCOUNT_LIMIT, type AlarmContext, type AlarmList, type AlarmSpec } from './alarm-spec.ts';
import { percentOf } from './gateway-metric.ts';
import { silenceAlarms } from './silence-alarms.ts';

/** Requests that are refused, slow or missing: what the providers see of us. */
export const ingestAlarms: AlarmList = context => {
  const minute = context.minutes(1);
  const { api, functions, deployment } = context;
  const ingest = functions.ingest.function;
  const whole: AlarmSpec[] = [
    {
      id: 'ingest-server-errors',
      severity: 'page',
      essential: true,
      partOf: 'ingest-broken',
      metric: new MathExpression({
        expression: 'IF(requests > 0, 100 * FILL(errors, 0) / requests, 0)',
        usingMetrics: { errors: api.metricServerErrors(), requests: api.metricRequests() },
        period: minute,
        label: 'Answers 5xx, percent',
      }),
      fires: 'above',
      datapoints: [2, 3],
      meaning: 'Providers get 5xx. Those that never retry (GitHub) lose the event.',
      firstCommand: context.errorsOf('ingest'),
    },
    {
      id: 'ingest-server-errors-count',
      severity: 'page',
      essential: true,
      partOf: 'ingest-broken',
      metric: api.metricServerErrors({ period: minute }),
      threshold: 5,
      meaning: 'Providers got several 5xx within a minute. Those that never retry (GitHub) lose the event.',
      firstCommand: context.errorsOf('ingest'),
    },
    {
      id: 'ingest-budget-burn',
      severity: 'ticket',
      metric: new MathExpression({
        expression: 'IF(requests >= 1000, 100 * (FILL(errors, 0) + FILL(throttled, 0)) / requests, 0)',
        usingMetrics: {
          errors: api.metricServerErrors(),
          throttled: api.metricThrottled(),
          requests: api.metricRequests(),
        },
        period: context.minutes(1_440),
        label: 'Answers 5xx and 429, percent',
      }),
      // Three times what an objective of 99.9 % allows.
      threshold: 0.3,
      fires: 'above',
      meaning: "A tenth of a month's budget was used up in a day: more than 0.3 % of the requests got 5xx or 429.",
      firstCommand: context.holdfast('slo'),
    },
    {
      id: 'ingest-slow',
      severity: 'ticket',
      metric: api.metricLatency({ period: minute }),
      threshold: 1_500,
      fires: 'above',
      datapoints: [3, 5],
      meaning: 'One answer in a hundred takes too long for providers. Shopify gives up after 5 s.',
      firstCommand: context.errorsOf('ingest'),
    },
    {
      id: 'ingest-throttled',
      severity: 'page',
      essential: true,
      partOf: 'ingest-broken',
      metric: ingest.metricThrottles({ statistic: 'Sum', period: minute }),
      meaning: 'Lambda refused to start the ingest function: the account has no concurrency left.',
      firstCommand: ACCOUNT_LIMIT,
    },
    {
      id: 'ingest-errors',
      severity: 'page',
      essential: true,
      partOf: 'ingest-broken',
      metric: ingest.metricErrors({ statistic: 'Sum', period: minute }),
      datapoints: [2, 5],
      meaning: 'The ingest function crashes or times out: providers get 5xx.',
      firstCommand: context.errorsOf('ingest'),
    },
    {
      id: 'ingest-unrecorded-accepted',
      severity: 'ticket',
      metric: context.metric('UnrecordedAccepted', { statistic: 'Sum', period: minute }),
      meaning:
        'Events were accepted only into the queue, because the table did not answer. Nothing is lost, but the table needs attention.',
      firstCommand: context.errorsOf('ingest'),
    },
    {
      id: 'ingest-dependency-errors',
      severity: 'ticket',
      metric: context.metric('DependencyError', { statistic: 'Sum', period: minute }),
      threshold: 5,
      datapoints: [2, 3],
      meaning: 'DynamoDB, SQS, S3 or Secrets Manager fail or do not answer in time.',
      firstCommand: context.errorsOf('ingest'),
    },
    {
      id: 'ingest-throttled-route',
      severity: 'page',
      metric: api.metricThrottled({ period: minute }),
      meaning: 'API Gateway answered 429: a source is over its throttle. A provider that never retries lost the event.',
      firstCommand: context.holdfast('logs --of requests --where status=429'),
    },
    {
      id: 'ingest-signature-rejections',
      severity: 'notice',
      metric: percentOf(
        {
          refused: context.metric('RequestRefused', { statistic: 'Sum', dimensions: { cause: REFUSED_FOR_SIGNATURE } }),
          // One run is one request.
          requests: ingest.metricInvocations({ statistic: 'Sum' }),
        },
        { least: 100, period: context.minutes(5), label: 'Requests with a wrong signature, percent' },
      ),
      fires: 'above',
      meaning:
        'More than one request in a hundred has a signature that does not match: one of several senders has another secret, or somebody forges.',
      firstCommand: context.holdfast('refused ls'),
    },
    {
      id: 'ingest-payload-conflicts',
      severity: 'ticket',
      // The sweeper reports the first one of each source, one source after another, so that each is told.
      metric: context.metric('NewConflict', { statistic: 'Sum', period: Duration.minutes(1) }),
      meaning:
        'For the first time a source sent one event id with two different bodies. The first body counts, and the second is kept. The first command names the source, and the command that runs the second body.',
      firstCommand: context.holdfast('status'),
    },
    {
      id: 'ingest-too-old-events',
      severity: 'ticket',
      metric: context.metric('NewTooOld', { statistic: 'Sum', period: Duration.minutes(1) }),
      meaning:
        'For the first time an event of a source was recorded and not run, because it is so old that a repetition of it could not be recognised. The first command names the source and the event.',
      firstCommand: context.holdfast('status'),
    },
  ];
  return [...whole, ...deployment.sources.flatMap(source => sourceAlarms(source, context))];
};

/** Per source, because each compares a source with itself: a wrong secret, a silent provider. */
function sourceAlarms(deployed: DeployedSource, context: AlarmContext): readonly AlarmSpec[] {
  const { source } = deployed;
  return [
    {
      id: 'ingest-signature-failures',
      source: source.id,
      // Where the provider's own keys verify, no secret of ours was rotated: these are forged, and anybody can send them.
      severity: publishesAllKeys(source.spec) ? 'ticket' : 'page',
      essential: true,
      // The sweeper judges it, once a minute, also where other minutes are short (core/inbound/sweep/judge-refusals.ts).
      metric: context.metric('RefusedOnlyFor', {
        statistic: 'Maximum',
        period: Duration.minutes(1),
        dimensions: { source: source.id },
      }),
      threshold: 0,
      fires: 'above',
      datapoints: [1, 2],
      meaning: `Source ${source.id} accepted events before, and now refuses every request for its signature (cause: mismatch). Most likely its secret was rotated at the provider and not here.`,
      firstCommand: context.holdfast(`refused ls --source ${source.id}`),
    },
    ...silenceAlarms(deployed, context),
  ];
}
