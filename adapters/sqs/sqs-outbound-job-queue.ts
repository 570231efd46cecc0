import type { SQSClient } from '@aws-sdk/client-sqs';
import type { JobQueue } from '#core/outbound/ports.ts';
import { sendBatch } from './send-batch.ts';

/** `JobQueue` on the jobs queue; the group makes it fair between applications. */
export const sqsJobQueue = (client: SQSClient, queueUrl: string): JobQueue => ({
  async send(jobs, group) {
    const entries = jobs.map(job => ({ MessageBody: JSON.stringify(job), MessageGroupId: group }));
    await sendBatch(client, queueUrl, entries);
  },
});
