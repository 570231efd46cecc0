import { type DynamoDBClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { given } from '#core/given.ts';
import type { SourceId } from '#core/glossary.ts';
import { type RefusedItem, refusedPrefix } from '#core/inbound/protocol/event-item.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { fromAttributes, toAttributes } from './marshal.ts';

/** Refused requests of a source in the `payloads` table, of one cause or of all, newest first. Throws DependencyError. */
export async function listRefused(
  client: DynamoDBClient,
  table: string,
  sourceId: SourceId,
  cause: string | undefined,
  read: 'eventual' | undefined,
): Promise<readonly RefusedItem[]> {
  const found: RefusedItem[] = [];
  let from: QueryCommandInput['ExclusiveStartKey'];
  do {
    const input: QueryCommandInput = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: toAttributes({ ':pk': `_refused#${sourceId}`, ':sk': refusedPrefix(cause) }),
      ConsistentRead: read !== 'eventual',
      ...given({ ExclusiveStartKey: from }),
    };
    const page = await sent('dynamodb', 'Query', () => client.send(new QueryCommand(input)));
    found.push(...(page.Items ?? []).map(item => fromAttributes<RefusedItem>(item)));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return found.sort((a, b) => b.refusedAt - a.refusedAt);
}
