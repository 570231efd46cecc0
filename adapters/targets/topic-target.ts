/** Loaded with the first event for a topic (see outside-targets.ts). */
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { given } from '#core/given.ts';
import type { Environment } from '../aws/client-settings.ts';
import type { endCalls } from '../aws/end-calls.ts';
import { type AwsTarget, targetSettings } from './aws-target.ts';
import { judgeAwsError } from './judge-aws-error.ts';

export function createTopicTarget(end: typeof endCalls, env?: Environment): AwsTarget {
  const client = end(new SNSClient(targetSettings('SNS', env)));
  return {
    async send(address, { text, keyHash, group }, abortSignal) {
      const fifo = address.endsWith('.fifo') ? { MessageDeduplicationId: keyHash, MessageGroupId: group } : {};
      try {
        const command = new PublishCommand({ TopicArn: address, Message: text, ...fifo });
        const { MessageId: receipt } = await client.send(command, { abortSignal });
        return { kind: 'accepted', ...given({ receipt }) };
      } catch (error) {
        return judgeAwsError(error);
      }
    },
  };
}
