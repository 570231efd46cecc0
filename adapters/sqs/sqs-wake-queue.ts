import type { SQSClient } from '@aws-sdk/client-sqs';
import type { WakeQueue } from '#core/outbound/ports.ts';
import { sendBatch } from './send-batch.ts';

/** `WakeQueue` on wake-fast or wake-slow. */
export const sqsWakeQueue = (client: SQSClient, queueUrl: string): WakeQueue => ({
  async send(wakeUps, delaySeconds = 0) {
    const entries = wakeUps.map((wakeUp, at) => {
      const delay = typeof delaySeconds === 'number' ? delaySeconds : (delaySeconds[at] ?? 0);
      return { MessageBody: JSON.stringify(wakeUp), ...(delay > 0 ? { DelaySeconds: delay } : {}) };
    });
    await sendBatch(client, queueUrl, entries);
  },
});
