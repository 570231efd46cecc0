import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { parseArn } from '#core/inbound/routing/target.ts';
import { type AwsTarget, awsTarget } from './aws-target.ts';

const SUFFIXES: Readonly<Record<string, string>> = { 'aws-cn': 'amazonaws.com.cn', 'aws-eusc': 'amazonaws.eu' };

/** The gateway's own SQS client serves every queue of the region. */
export function createQueueTarget(client: SQSClient): AwsTarget {
  return awsTarget(async (address, { text, keyHash, group }, options) => {
    const fifo = address.endsWith('.fifo') ? { MessageDeduplicationId: keyHash, MessageGroupId: group } : {};
    const command = new SendMessageCommand({ QueueUrl: queueUrlOf(address), MessageBody: text, ...fifo });
    return (await client.send(command, options)).MessageId;
  });
}

/** Made, not asked for: that would take another permission and another call. */
function queueUrlOf(address: string): string {
  const { partition = '', region, account, resource } = parseArn(address) ?? {};
  return `https://sqs.${region}.${SUFFIXES[partition] ?? 'amazonaws.com'}/${account}/${resource}`;
}
