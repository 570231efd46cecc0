import {
  DeleteMessageCommand,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadQueue } from '#core/ports.ts';
import { sent, toDependencyError } from '../aws/to-dependency-error.ts';

/** `DeadQueue` on the dead-letter queue. */
export const sqsDeadQueue = (client: SQSClient, queueUrl: string): DeadQueue => ({
  async send(body, cause) {
    const MessageAttributes = { cause: { DataType: 'String', StringValue: cause } };
    const input = { QueueUrl: queueUrl, MessageBody: body, MessageAttributes };
    await sent('sqs', 'SendMessage', () => client.send(new SendMessageCommand(input)));
  },

  async receive(limit) {
    const input = {
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(limit, 10),
      // Just long enough for one pass: a person who looks into the queue must find its messages there.
      VisibilityTimeout: 20,
      MessageSystemAttributeNames: ['SentTimestamp' as const, 'ApproximateReceiveCount' as const],
    };
    const answer = await sent('sqs', 'ReceiveMessage', () => client.send(new ReceiveMessageCommand(input)));
    return (answer.Messages ?? []).map(({ Body = '', ReceiptHandle = '', Attributes = {} }) => ({
      body: Body,
      receipt: ReceiptHandle,
      sentAt: Number(Attributes.SentTimestamp ?? 0),
      receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
    }));
  },

  async delete(receipt) {
    try {
      await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receipt }));
    } catch (error) {
      // A handle of a message that is gone: there is nothing left to delete.
      if (error instanceof ReceiptHandleIsInvalid) return;
      throw toDependencyError('sqs', 'DeleteMessage', error);
    }
  },
});
