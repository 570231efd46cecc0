import type { SQSClient } from '@aws-sdk/client-sqs';
import type { WakeQueue, WakeUp } from '#core/outbound/ports.ts';
import { sendBatch } from './send-batch.ts';

/** `WakeQueue` on wake-fast or wake-slow. */
export class SqsWakeQueue implements WakeQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async send(wakeUps: readonly WakeUp[], delaySeconds: number | readonly number[] = 0): Promise<void> {
    const entries = wakeUps.map((wakeUp, at) => {
      const delay = typeof delaySeconds === 'number' ? delaySeconds : (delaySeconds[at] ?? 0);
      return { MessageBody: JSON.stringify(wakeUp), ...(delay > 0 ? { DelaySeconds: delay } : {}) };
    });
    await sendBatch(this.#client, this.#queueUrl, entries);
  }
}
