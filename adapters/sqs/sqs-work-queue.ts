import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { WorkQueue } from '#core/ports.ts';
import { sent } from '../aws/to-dependency-error.ts';

/** `WorkQueue` on the main queue. */
export const sqsWorkQueue = (client: SQSClient, queueUrl: string): WorkQueue => ({
  async send(body, { groupId, delaySeconds = 0 }) {
    const input = { QueueUrl: queueUrl, MessageBody: body, MessageGroupId: groupId };
    const delay = delaySeconds > 0 ? { DelaySeconds: delaySeconds } : {};
    await sent('sqs', 'SendMessage', () => client.send(new SendMessageCommand({ ...input, ...delay })));
  },
});
