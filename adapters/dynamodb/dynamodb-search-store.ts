import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { SearchStore } from '#core/inbound/ports.ts';
import type { SearchItem } from '#core/inbound/protocol/event-item.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { fromAttributes, toAttributes } from './marshal.ts';
import { putItem } from './table-calls.ts';

/** `SearchStore` in the `payloads` table. */
export const dynamoDbSearchStore = (client: DynamoDBClient, table: string): SearchStore => ({
  async put(item) {
    await putItem(client, table, item);
  },

  async find(pk, range) {
    // `sk` is never equal to a bound in a search of ours; BETWEEN includes both.
    const input = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :before',
      ExpressionAttributeValues: toAttributes({ ':pk': pk, ':from': range.from, ':before': range.before }),
      ScanIndexForward: false,
      Limit: range.limit + 1,
    };
    const { Items = [] } = await sent('dynamodb', 'Query', () => client.send(new QueryCommand(input)));
    const found = Items.map(item => fromAttributes<SearchItem>(item));
    return found.filter(({ sk }) => sk < range.before).slice(0, range.limit);
  },
});
