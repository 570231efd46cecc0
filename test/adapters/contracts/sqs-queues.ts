import { setTimeout as sleep } from 'node:timers/promises';
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqsDeadQueue } from '#adapters/sqs/sqs-dead-queue.ts';
import { sqsJobQueue } from '#adapters/sqs/sqs-outbound-job-queue.ts';
import { sqsQueueGauge } from '#adapters/sqs/sqs-queue-gauge.ts';
import { sqsReceiptBox } from '#adapters/sqs/sqs-receipt-box.ts';
import { sqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { patientSettings } from './dynamodb-tables.ts';
import type { OutboundQueuesSubject } from './outbound-queues.contract.ts';
import type { QueuesSubject } from './queues.contract.ts';

/** The real adapters on two new queues of an SQS endpoint. */
export async function makeSqsQueues(url: string, name: string): Promise<QueuesSubject & { readonly mainUrl: string }> {
  const client = new SQSClient(patientSettings('SQS', url));
  const create = async (QueueName: string, VisibilityTimeout: number): Promise<string> => {
    const Attributes = { VisibilityTimeout: String(VisibilityTimeout) };
    const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
    return QueueUrl;
  };
  const mainUrl = await create(`${name}-main`, 30);
  const deadUrl = await create(`${name}-dead`, 1);
  return {
    mainUrl,
    work: sqsWorkQueue(client, mainUrl),
    receipts: sqsReceiptBox(client, mainUrl),
    dead: sqsDeadQueue(client, deadUrl),
    gauge: sqsQueueGauge(client, { main: mainUrl, dead: deadUrl }),
    async receive() {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: mainUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
      );
      return Messages.map(({ Body = '', ReceiptHandle = '', Attributes = {} }) => ({
        body: Body,
        receipt: ReceiptHandle,
        groupId: Attributes.MessageGroupId,
        receiveCount: Number(Attributes.ApproximateReceiveCount),
        sentAt: Number(Attributes.SentTimestamp),
      }));
    },
    async delete(receipt) {
      await client.send(new DeleteMessageCommand({ QueueUrl: mainUrl, ReceiptHandle: receipt }));
    },
    async deadAttributes() {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: deadUrl, MessageAttributeNames: ['All'] }),
      );
      const attributes = Object.entries(Messages[0]?.MessageAttributes ?? {});
      return Object.fromEntries(attributes.map(([name, { StringValue = '' }]) => [name, StringValue]));
    },
    wait: seconds => sleep(seconds * 1_000),
  };
}

/** The real adapters on a new wake queue and a new jobs queue. */
export async function makeSqsOutboundQueues(url: string, name: string): Promise<OutboundQueuesSubject> {
  const client = new SQSClient(patientSettings('SQS', url));
  const create = async (QueueName: string): Promise<string> =>
    (await client.send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? '';
  const urls = { wake: await create(`${name}-wake`), jobs: await create(`${name}-jobs`) };
  return {
    wake: sqsWakeQueue(client, urls.wake),
    jobs: sqsJobQueue(client, urls.jobs),
    async take(queue) {
      const QueueUrl = urls[queue];
      const asked = { QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All' as const] };
      const { Messages = [] } = await client.send(new ReceiveMessageCommand(asked));
      for (const { ReceiptHandle = '' } of Messages) {
        await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
      return Messages.map(({ Body = '', Attributes = {} }) => ({ body: Body, groupId: Attributes.MessageGroupId }));
    },
    wait: seconds => sleep(seconds * 1_000),
  };
}
