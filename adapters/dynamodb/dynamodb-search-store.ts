import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { SearchStore } from '#core/inbound/ports.ts';
import type { SearchItem } from '#core/inbound/protocol/event-item.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { fromAttributes, toAttributes } from './marshal.ts';
import { putItem } from './table-calls.ts';

/** `SearchStore` in the `payloads` table. */
export class DynamoDbSearchStore implements SearchStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async put(item: SearchItem): Promise<void> {
    await putItem(this.#client, this.#table, item);
  }

  async find(pk: SearchItem['pk'], range: Parameters<SearchStore['find']>[1]): Promise<readonly SearchItem[]> {
    // `sk` is never equal to a bound in a search of ours; BETWEEN includes both.
    const input = {
      TableName: this.#table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :before',
      ExpressionAttributeValues: toAttributes({ ':pk': pk, ':from': range.from, ':before': range.before }),
      ScanIndexForward: false,
      Limit: range.limit + 1,
    };
    const { Items = [] } = await sent('dynamodb', 'Query', () => this.#client.send(new QueryCommand(input)));
    const found = Items.map(item => fromAttributes<SearchItem>(item));
    return found.filter(({ sk }) => sk < range.before).slice(0, range.limit);
  }
}
