import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { QueueGauge, QueueNumbers } from '#core/ports.ts';
import { sent } from '../aws/to-dependency-error.ts';

/** `QueueGauge` on both queues. SQS calls these numbers approximate: they lag by up to a minute. */
export function sqsQueueGauge(client: SQSClient, urls: { main: string; dead: string }): QueueGauge {
  const numbersOf = async (queueUrl: string): Promise<QueueNumbers> => {
    const command = new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    });
    const { Attributes = {} } = await sent('sqs', 'GetQueueAttributes', () => client.send(command));
    return {
      visible: Number(Attributes.ApproximateNumberOfMessages ?? 0),
      hidden: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
      delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
    };
  };
  return { main: () => numbersOf(urls.main), dead: () => numbersOf(urls.dead) };
}
