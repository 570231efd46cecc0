import {
  DeleteMessageCommand,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { EpochMs } from '#core/glossary.ts';
import type { DeadQueue } from '#core/ports.ts';
import { sent, toDependencyError } from '../aws/to-dependency-error.ts';

/** `DeadQueue` on the dead-letter queue. */
export class SqsDeadQueue implements DeadQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async send(body: string, cause: string): Promise<void> {
    const MessageAttributes = { cause: { DataType: 'String', StringValue: cause } };
    const input = { QueueUrl: this.#queueUrl, MessageBody: body, MessageAttributes };
    await sent('sqs', 'SendMessage', () => this.#client.send(new SendMessageCommand(input)));
  }

  async receive(
    limit: number,
  ): Promise<readonly { body: string; receipt: string; sentAt: EpochMs; receiveCount: number }[]> {
    const input = {
      QueueUrl: this.#queueUrl,
      MaxNumberOfMessages: Math.min(limit, 10),
      // Just long enough for one pass: a person who looks into the queue must find its messages there.
      VisibilityTimeout: 20,
      MessageSystemAttributeNames: ['SentTimestamp' as const, 'ApproximateReceiveCount' as const],
    };
    const answer = await sent('sqs', 'ReceiveMessage', () => this.#client.send(new ReceiveMessageCommand(input)));
    return (answer.Messages ?? []).map(({ Body = '', ReceiptHandle = '', Attributes = {} }) => ({
      body: Body,
      receipt: ReceiptHandle,
      sentAt: Number(Attributes.SentTimestamp ?? 0),
      receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
    }));
  }

  async delete(receipt: string): Promise<void> {
    try {
      await this.#client.send(new DeleteMessageCommand({ QueueUrl: this.#queueUrl, ReceiptHandle: receipt }));
    } catch (error) {
      // A handle of a message that is gone: there is nothing left to delete.
      if (error instanceof ReceiptHandleIsInvalid) return;
      throw toDependencyError('sqs', 'DeleteMessage', error);
    }
  }
}
