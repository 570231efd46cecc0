import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ReceiptBox } from '#core/ports.ts';

/** `ReceiptBox` on the main queue. */
export const sqsReceiptBox = (client: SQSClient, queueUrl: string): ReceiptBox => ({
  async hide(receipt, seconds) {
    const input = { QueueUrl: queueUrl, ReceiptHandle: receipt, VisibilityTimeout: seconds };
    try {
      await client.send(new ChangeMessageVisibilityCommand(input));
    } catch {
      // Best effort: the message comes back when its present visibility runs out.
    }
  },
});
