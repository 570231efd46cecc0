import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { checkAnswers } from '../aws/check-answers.ts';
import { clientSettings, type Environment } from '../aws/client-settings.ts';
import { endCalls } from '../aws/end-calls.ts';
import { keptSigner } from '../aws/kept-signer.ts';
import { ownUserAgent } from '../aws/own-user-agent.ts';

/** The DynamoDB client of a module's scope. Throws when the environment names no region. */
export function createDynamoDbClient(env?: Environment): DynamoDBClient {
  const client = new DynamoDBClient({
    ...keptSigner('dynamodb', clientSettings('DYNAMODB', env)),
    accountIdEndpointMode: 'disabled',
    endpointDiscoveryEnabled: false,
  });
  return endCalls(checkAnswers(ownUserAgent(client)));
}

/**
 * One cheap signed call during init, when the CPU is not throttled: the first call loads, connects and signs for the
 * first time. `key` is of no item, and one that the function's role may read: a refusal would be noise in CloudTrail.
 * A failure is dropped; the next call tells.
 */
export async function primeDynamoDb(
  client: DynamoDBClient,
  table: string,
  key: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await client.send(
      new GetItemCommand({
        TableName: table,
        Key: Object.fromEntries(Object.entries(key).map(([name, S]) => [name, { S }])),
      }),
    );
  } catch {
    // The next call tells.
  }
}
