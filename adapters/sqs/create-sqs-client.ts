import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { checkAnswers } from '../aws/check-answers.ts';
import { clientSettings, type Environment } from '../aws/client-settings.ts';
import { endCalls } from '../aws/end-calls.ts';
import { keptSigner } from '../aws/kept-signer.ts';
import { ownUserAgent } from '../aws/own-user-agent.ts';

/** The SQS client of a module's scope. Throws when the environment names no region. */
export function createSqsClient(env?: Environment): SQSClient {
  const client = new SQSClient(keptSigner('sqs', clientSettings('SQS', env)));
  return endCalls(checkAnswers(ownUserAgent(client)));
}

/** One cheap signed call during init; its failure is dropped (see `primeDynamoDb`). */
export async function primeSqs(client: SQSClient, queueUrl: string): Promise<void> {
  try {
    await client.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }));
  } catch {
    // The next call tells.
  }
}
