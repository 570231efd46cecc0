import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { QueueGauge, QueueNumbers } from '#core/ports.ts';
import { sent } from '../aws/to-dependency-error.ts';

/** `QueueGauge` on both queues. SQS calls these numbers approximate: they lag by up to a minute. */
export class SqsQueueGauge implements QueueGauge {
  readonly #client: SQSClient;
  readonly #mainUrl: string;
  readonly #deadUrl: string;

  constructor(client: SQSClient, urls: { main: string; dead: string }) {
    this.#client = client;
    this.#mainUrl = urls.main;
    this.#deadUrl = urls.dead;
  }

  main(): Promise<QueueNumbers> {
    return this.#numbers(this.#mainUrl);
  }

  dead(): Promise<QueueNumbers> {
    return this.#numbers(this.#deadUrl);
  }

  async #numbers(queueUrl: string): Promise<QueueNumbers> {
    const command = new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    });
    const { Attributes = {} } = await sent('sqs', 'GetQueueAttributes', () => this.#client.send(command));
    return {
      visible: Number(Attributes.ApproximateNumberOfMessages ?? 0),
      hidden: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
      delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
    };
  }
}
