/** Loaded with the first event for a topic (see outside-targets.ts). */
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import type { Environment } from '../aws/client-settings.ts';
import type { endCalls } from '../aws/end-calls.ts';
import { type AwsTarget, awsTarget, targetSettings } from './aws-target.ts';

export function createTopicTarget(end: typeof endCalls, env?: Environment): AwsTarget {
  const client = end(new SNSClient(targetSettings('SNS', env)));
  return awsTarget(async (address, { text, keyHash, group }, options) => {
    const fifo = address.endsWith('.fifo') ? { MessageDeduplicationId: keyHash, MessageGroupId: group } : {};
    const command = new PublishCommand({ TopicArn: address, Message: text, ...fifo });
    return (await client.send(command, options)).MessageId;
  });
}
