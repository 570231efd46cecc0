import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ReceiptBox } from '#core/ports.ts';

/** `ReceiptBox` on the main queue. */
export class SqsReceiptBox implements ReceiptBox {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async hide(receipt: string, seconds: number): Promise<void> {
    const input = { QueueUrl: this.#queueUrl, ReceiptHandle: receipt, VisibilityTimeout: seconds };
    try {
      await this.#client.send(new ChangeMessageVisibilityCommand(input));
    } catch {
      // Best effort: the message comes back when its present visibility runs out.
    }
  }
}
