import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { given } from '#core/given.ts';
import { parseArn } from '#core/inbound/routing/target.ts';
import type { AwsTarget } from './aws-target.ts';
import { judgeAwsError } from './judge-aws-error.ts';

const SUFFIXES: Readonly<Record<string, string>> = { 'aws-cn': 'amazonaws.com.cn', 'aws-eusc': 'amazonaws.eu' };

/** The gateway's own SQS client serves every queue of the region. */
export function createQueueTarget(client: SQSClient): AwsTarget {
  return {
    async send(address, { text, keyHash, group }, abortSignal) {
      const fifo = address.endsWith('.fifo') ? { MessageDeduplicationId: keyHash, MessageGroupId: group } : {};
      try {
        const command = new SendMessageCommand({ QueueUrl: queueUrlOf(address), MessageBody: text, ...fifo });
        const { MessageId: receipt } = await client.send(command, { abortSignal });
        return { kind: 'accepted', ...given({ receipt }) };
      } catch (error) {
        return judgeAwsError(error);
      }
    },
  };
}

/** Made, not asked for: that would take another permission and another call. */
function queueUrlOf(address: string): string {
  const { partition = '', region, account, resource } = parseArn(address) ?? {};
  return `https://sqs.${region}.${SUFFIXES[partition] ?? 'amazonaws.com'}/${account}/${resource}`;
}
