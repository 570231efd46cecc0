import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import type { Pager } from '#core/ports.ts';
import { clientSettings, type Environment } from '../aws/client-settings.ts';
import { endCalls } from '../aws/end-calls.ts';
import { sent } from '../aws/to-dependency-error.ts';

const SUBJECT_LIMIT = 100;

/** The SNS client of a module's scope. Throws when the environment names no region. */
export function createSnsClient(env?: Environment): SNSClient {
  return endCalls(new SNSClient(clientSettings('SNS', env)));
}

/** `Pager` on a topic: mail gets the text, everything else CloudWatch's JSON, which pager services know. */
export const snsPager = (client: SNSClient, topicArn: string): Pager => ({
  async publish(subject, message, text) {
    const input = {
      TopicArn: topicArn,
      Subject: subject.slice(0, SUBJECT_LIMIT),
      MessageStructure: 'json',
      Message: JSON.stringify({ default: message, email: text }),
    };
    await sent('sns', 'Publish', () => client.send(new PublishCommand(input)));
  },
});
