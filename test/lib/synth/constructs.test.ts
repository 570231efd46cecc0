import { Match, Template } from 'aws-cdk-lib/assertions';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { App, Duration, Stack } from 'aws-cdk-lib/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { API_ROUTES } from '#core/inbound/api/api-routes.ts';
import { AlarmTopics } from '#lib/constructs/alarm-topics.ts';
import { EventStore } from '#lib/constructs/event-store.ts';
import { GatewayFunction } from '#lib/constructs/gateway-function.ts';
import { IngestApi } from '#lib/constructs/ingest-api.ts';
import { WorkQueue } from '#lib/constructs/work-queue.ts';

let stack: Stack;
beforeEach(() => {
  // CloudFormation's own rules, which every environment passes in environments.test.ts, take seconds to load.
  stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Alone');
});
const template = (): Template => Template.fromStack(stack);
const someone = (): Role => new Role(stack, 'Someone', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
const functionNamed = (id: string) =>
  new GatewayFunction(stack, id, {
    description: id,
    code: Code.fromInline('exports.handler = () => undefined'),
    contract: { NAME: text => text },
    environment: { NAME: 'value' },
    timeout: Duration.seconds(3),
    logRetention: RetentionDays.ONE_DAY,
    onFailure: 'Its caller sees it.',
  });

describe('each construct works in a stack of somebody else, with nothing but its required props', () => {
  it('EventStore keeps what it holds', () => {
    const store = new EventStore(stack, 'Store');
    store.grantEventQueries(someone());
    template().hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain' });
    template().hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: { Rules: [Match.objectLike({ ExpirationInDays: 97 })] },
    });
    template().hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: [Match.objectLike({ Action: 'dynamodb:Query', Effect: 'Allow' })] },
    });
  });

  it('WorkQueue has the production numbers, and metrics to alarm on', () => {
    const queue = new WorkQueue(stack, 'Work');
    queue.grantSend(someone());
    new Alarm(stack, 'Old', { metric: queue.metricOldestAge(), threshold: 60, evaluationPeriods: 1 });
    template().hasResourceProperties('AWS::SQS::Queue', {
      VisibilityTimeout: 180,
      RedrivePolicy: { maxReceiveCount: 1000 },
    });
    template().hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Statistic: 'Maximum',
    });
    template().hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: [Match.objectLike({ Action: 'sqs:SendMessage' })] },
    });
  });

  it('GatewayFunction writes to its own log and nowhere else', () => {
    functionNamed('Alone');
    const [policy] = Object.values(template().findResources('AWS::IAM::Policy'));
    expect(policy?.['Properties'].PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Action: ['logs:CreateLogStream', 'logs:PutLogEvents'] }),
    ]);
  });

  it('IngestApi serves the sources it is given', () => {
    const api = new IngestApi(stack, 'Door', {
      sources: [{ path: '/in', methods: ['POST'], throttle: { rate: 1, burst: 2 } }],
      ingest: functionNamed('Ingest').function,
      api: functionNamed('Api').function,
      accessLogRetention: RetentionDays.ONE_DAY,
    });
    new Alarm(stack, 'Slow', { metric: api.metricLatency(), threshold: 1, evaluationPeriods: 1 });
    // Its source, the health check, and the status API.
    template().resourceCountIs('AWS::ApiGatewayV2::Route', 2 + API_ROUTES.length);
    template().hasResourceProperties('AWS::CloudWatch::Alarm', { ExtendedStatistic: 'p99' });
  });

  it('AlarmTopics tells nobody until it is told whom', () => {
    new AlarmTopics(stack, 'Alarms');
    template().resourceCountIs('AWS::SNS::Topic', 4);
    template().resourceCountIs('AWS::SNS::Subscription', 0);
  });
});
