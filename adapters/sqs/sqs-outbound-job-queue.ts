import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Job, JobQueue } from '#core/outbound/ports.ts';
import { sendBatch } from './send-batch.ts';

/** `JobQueue` on the jobs queue; the group makes it fair between applications. */
export class SqsJobQueue implements JobQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async send(jobs: readonly Job[], group: string): Promise<void> {
    const entries = jobs.map(job => ({ MessageBody: JSON.stringify(job), MessageGroupId: group }));
    await sendBatch(this.#client, this.#queueUrl, entries);
  }
}
