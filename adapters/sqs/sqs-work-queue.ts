import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { WorkQueue } from '#core/ports.ts';
import { sent } from '../aws/to-dependency-error.ts';

/** `WorkQueue` on the main queue. */
export class SqsWorkQueue implements WorkQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async send(body: string, options: { groupId: string; delaySeconds?: number }): Promise<void> {
    const { groupId, delaySeconds = 0 } = options;
    const input = { QueueUrl: this.#queueUrl, MessageBody: body, MessageGroupId: groupId };
    const delay = delaySeconds > 0 ? { DelaySeconds: delaySeconds } : {};
    await sent('sqs', 'SendMessage', () => this.#client.send(new SendMessageCommand({ ...input, ...delay })));
  }
}
