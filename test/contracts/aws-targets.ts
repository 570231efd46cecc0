/** The targets of the contract on a local AWS, and what comes out of them. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  ListExecutionsCommand,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { OutsideTargets } from '#adapters/targets/outside-targets.ts';
import type { RouteTarget } from '#core/resolved-config.ts';
import { parseArn } from '#core/routing/target.ts';
import { environmentFor } from './dynamodb-tables.ts';
import { CONTRACT_TARGETS } from './memory-targets.ts';
import type { TargetsSubject } from './targets.contract.ts';

const nameOf = ({ address }: RouteTarget): string => parseArn(address)?.resource.replace(/^.*[/:]/, '') ?? '';

export class AwsTargetsUnderTest implements TargetsSubject {
  readonly targets: OutsideTargets;
  readonly present = CONTRACT_TARGETS;
  private readonly sqs: SQSClient;
  private readonly sfn: SFNClient;
  private readonly endpoint: string;
  /** Where to look for what a target got: a queue of its own, or the one behind it. */
  private readonly queues = new Map<string, string>();
  private readonly seen = new Map<string, string[]>();

  constructor(endpoint: string) {
    const env = environmentFor(endpoint);
    const settings = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
    this.endpoint = endpoint;
    this.sqs = new SQSClient(settings);
    this.sfn = new SFNClient(settings);
    this.targets = new OutsideTargets(this.sqs, { ...env, AWS_REGION: 'us-east-1' });
  }

  async create(): Promise<void> {
    const { queue, small, fifo, topic, bus, machine } = this.present;
    const settings = {
      endpoint: this.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    };
    await this.createQueue(queue, nameOf(queue));
    await this.createQueue(small, nameOf(small), { MaximumMessageSize: '2048' });
    await this.createQueue(fifo, nameOf(fifo), { FifoQueue: 'true' });

    const sns = new SNSClient(settings);
    const behindTopic = await this.createQueue(topic, 'contract-behind-topic');
    await sns.send(new CreateTopicCommand({ Name: nameOf(topic) }));
    await sns.send(
      new SubscribeCommand({
        TopicArn: topic.address,
        Protocol: 'sqs',
        Endpoint: behindTopic,
        Attributes: { RawMessageDelivery: 'true' },
      }),
    );

    const events = new EventBridgeClient(settings);
    const behindBus = await this.createQueue(bus, 'contract-behind-bus');
    const EventBusName = nameOf(bus);
    await events.send(new CreateEventBusCommand({ Name: EventBusName }));
    const EventPattern = JSON.stringify({ source: ['holdfast.stripe'] });
    await events.send(new PutRuleCommand({ Name: 'all', EventBusName, EventPattern }));
    await events.send(new PutTargetsCommand({ Rule: 'all', EventBusName, Targets: [{ Id: 'q', Arn: behindBus }] }));

    const definition = JSON.stringify({ StartAt: 'End', States: { End: { Type: 'Pass', End: true } } });
    const roleArn = 'arn:aws:iam::000000000000:role/contract';
    await this.sfn.send(new CreateStateMachineCommand({ name: nameOf(machine), definition, roleArn }));
  }

  private async createQueue(
    target: RouteTarget,
    name: string,
    attributes: Record<string, string> = {},
  ): Promise<string> {
    const { QueueUrl = '' } = await this.sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
    this.queues.set(target.address, QueueUrl);
    return `arn:aws:sqs:us-east-1:000000000000:${name}`;
  }

  async received(target: RouteTarget, count: number): Promise<readonly string[]> {
    const texts = this.seen.get(target.address) ?? [];
    this.seen.set(target.address, texts);
    const wanted = texts.length + count;
    for (const deadline = Date.now() + 1_500; texts.length < wanted && Date.now() < deadline; await wait(50)) {
      if (target.kind === 'state_machine') texts.splice(0, texts.length, ...(await this.inputs(target.address)));
      else texts.push(...(await this.receive(this.queues.get(target.address) ?? '')));
    }
    return texts;
  }

  private async receive(QueueUrl: string): Promise<readonly string[]> {
    const { Messages: messages = [] } = await this.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    for (const { ReceiptHandle } of messages)
      await this.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return messages.map(it => it.Body ?? '');
  }

  private async inputs(stateMachineArn: string): Promise<readonly string[]> {
    const { executions = [] } = await this.sfn.send(new ListExecutionsCommand({ stateMachineArn }));
    const described = executions.map(({ executionArn }) =>
      this.sfn.send(new DescribeExecutionCommand({ executionArn })),
    );
    return (await Promise.all(described)).map(it => it.input ?? '');
  }
}
