import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmList } from './alarm-spec.ts';

/** The functions whose metrics depend on what events hold; what the others report is missed by its own alarm. */
const WATCHED = ['ingest', 'process', 'sweep'] as const;

const FAILURES = {
  unparsed: { metric: 'EMFParsingErrors', meaning: 'is not the JSON that the embedded metric format asks for' },
  invalid: { metric: 'EMFValidationErrors', meaning: 'breaks a rule of the embedded metric format' },
} as const;

/**
 * Metrics that were printed and that CloudWatch did not take: every graph and alarm on them is blind. One alarm for each
 * metric: a sum of two sparse metrics has no value while one of them is missing.
 */
export const lostMetricAlarms: AlarmList = context =>
  WATCHED.flatMap(name =>
    Object.entries(FAILURES).map(([failure, { metric, meaning }]) => {
      const { logGroupName } = context.functions[name].logGroup;
      return {
        id: `${name}-metrics-${failure}`,
        severity: 'ticket',
        metric: new Metric({
          namespace: 'AWS/Logs',
          metricName: metric,
          dimensionsMap: { LogGroupName: logGroupName },
          statistic: 'Sum',
          period: context.minutes(5),
        }),
        meaning: `A metric line of ${name} ${meaning}: its numbers are lost, and the alarms on them see nothing.`,
        firstCommand: context.holdfast('status'),
      };
    }),
  );
