/** Targets of the route in test-gateway.config.ts, on the local AWS, and what came out of them. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { CreateStateMachineCommand, ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { MACHINE, TOPIC } from './test-gateway.config.ts';

const arn = (service: string, resource: string): string => `arn:aws:${service}:us-east-1:000000000000:${resource}`;

/** Queues that keep what each target got. */
const KEPT = { bus: 'routed-behind-bus', topic: 'routed-behind-topic', queue: 'routed.fifo' } as const;

export async function createRoutedTargets({ aws, clients }: Pick<GatewayUnderTest, 'aws' | 'clients'>): Promise<void> {
  const settings = { endpoint: aws.endpoint, region: aws.region, credentials: aws.credentials };
  for (const QueueName of Object.values(KEPT)) {
    const Attributes = QueueName.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
    await clients.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  }
  const events = new EventBridgeClient(settings);
  const rule = { Name: 'all', EventBusName: 'routed' };
  await events.send(new CreateEventBusCommand({ Name: 'routed' }));
  await events.send(new PutRuleCommand({ ...rule, EventPattern: JSON.stringify({ source: ['holdfast.default'] }) }));
  const Targets = [{ Id: 'kept', Arn: arn('sqs', KEPT.bus) }];
  await events.send(new PutTargetsCommand({ Rule: rule.Name, EventBusName: rule.EventBusName, Targets }));
  const sns = new SNSClient(settings);
  await sns.send(new CreateTopicCommand({ Name: 'routed' }));
  await sns.send(
    new SubscribeCommand({
      TopicArn: TOPIC,
      Protocol: 'sqs',
      Endpoint: arn('sqs', KEPT.topic),
      Attributes: { RawMessageDelivery: 'true' },
    }),
  );
  const definition = JSON.stringify({ StartAt: 'End', States: { End: { Type: 'Pass', End: true } } });
  const roleArn = arn('iam', 'role/routed').replace('us-east-1', '');
  await new SFNClient(settings).send(new CreateStateMachineCommand({ name: 'routed', definition, roleArn }));
}

/** CloudEvents that a target got, once it has had time for one. They stay in the queue, hidden. */
export async function keptBy(
  target: keyof typeof KEPT,
  { clients, aws }: Pick<GatewayUnderTest, 'aws' | 'clients'>,
): Promise<readonly Record<string, unknown>[]> {
  const QueueUrl = `${aws.endpoint}/000000000000/${KEPT[target]}`;
  const found: Record<string, unknown>[] = [];
  for (let tries = 0; tries < 10; tries++) {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 });
    const { Messages: messages = [] } = await clients.sqs.send(command);
    for (const { Body } of messages) {
      const body = JSON.parse(Body ?? '{}') as Record<string, unknown>;
      found.push((target === 'bus' ? body['detail'] : body) as Record<string, unknown>);
    }
    await wait(100);
  }
  return found;
}

/** How many executions the state machine has. */
export async function countExecutions({ aws }: Pick<GatewayUnderTest, 'aws'>): Promise<number> {
  const client = new SFNClient({ endpoint: aws.endpoint, region: aws.region, credentials: aws.credentials });
  return (await client.send(new ListExecutionsCommand({ stateMachineArn: MACHINE }))).executions?.length ?? 0;
}
