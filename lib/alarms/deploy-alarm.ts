import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { Duration, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { acknowledge } from '#lib/constructs/acknowledge.ts';
import type { AlarmSpec } from './alarm-spec.ts';

/** The beginning and the end of a deploy that goes forward. A rollback is no deploy: nothing is held back for it. */
const DEPLOYING = ['CREATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'CREATE_COMPLETE', 'UPDATE_COMPLETE'];

/**
 * Fires while this stack is being deployed, by whatever means: CloudFormation itself says so. It cannot fire for longer
 * than a few minutes after a deploy's beginning, and after its end (docs/decisions/which-alarms-exist-and-who-hears-once.md).
 */
export function deployAlarm(scope: Construct, environment: string): AlarmSpec {
  const stack = Stack.of(scope);
  // Without a target: that the rule matched is the whole message, and EventBridge counts it.
  const rule = new Rule(scope, 'Deploys', {
    description: 'Counts when a deploy of the gateway stack begins and ends',
    eventPattern: {
      source: ['aws.cloudformation'],
      detailType: ['CloudFormation Stack Status Change'],
      detail: { 'stack-id': [stack.stackId], 'status-details': { status: DEPLOYING } },
    },
  });
  acknowledge(rule, {
    id: 'Serverless-EventBusDLQ',
    reason: 'The rule has no target whose failure a dead-letter queue could keep; only its metric is looked at.',
  });
  return {
    id: 'deploying',
    severity: 'notice',
    essential: true,
    metric: new Metric({
      namespace: 'AWS/Events',
      metricName: 'TriggeredRules',
      dimensionsMap: { RuleName: rule.ruleName },
      statistic: 'Sum',
      period: Duration.minutes(1),
    }),
    datapoints: [1, 5],
    meaning: 'A deploy has begun or ended in the last five minutes. Meanwhile processing-broken pages nobody.',
    firstCommand: `npm run holdfast -- status --env ${environment}`,
  };
}
