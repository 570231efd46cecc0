import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Token, WakeQueue } from '#core/outbound/ports.ts';
import { sendBatch } from './send-batch.ts';

/** `WakeQueue` on wake-fast or wake-slow. */
export class SqsWakeQueue implements WakeQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async send(tokens: readonly Token[], delaySeconds = 0): Promise<void> {
    const delay = delaySeconds > 0 ? { DelaySeconds: delaySeconds } : {};
    const entries = tokens.map(token => ({ MessageBody: JSON.stringify(token), ...delay }));
    await sendBatch(this.#client, this.#queueUrl, entries);
  }
}
