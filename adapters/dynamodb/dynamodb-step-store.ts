import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { missing } from '#core/condition.ts';
import type { EventPk } from '#core/glossary.ts';
import type { StepStore } from '#core/inbound/ports.ts';
import type { StepItem } from '#core/inbound/protocol/event-item.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { compilePut } from './compile-write.ts';
import { DynamoDbPayloadStore } from './dynamodb-payload-store.ts';
import { fromAttributes, toAttributes } from './marshal.ts';
import { refusedItem } from './table-calls.ts';

/** The `payloads` table as the processor has it, with the steps; apart, so that ingest's bundle holds no more. */
export class DynamoDbStepStore extends DynamoDbPayloadStore implements StepStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    super(client, table);
    this.#client = client;
    this.#table = table;
  }

  async getStep(pk: EventPk, sk: string): Promise<StepItem | undefined> {
    const input = { TableName: this.#table, Key: toAttributes({ pk, sk }), ConsistentRead: true };
    const { Item } = await sent('dynamodb', 'GetItem', () => this.#client.send(new GetItemCommand(input)));
    return Item && fromAttributes<StepItem>(Item);
  }

  async keepStep(item: StepItem): Promise<StepItem> {
    const put = compilePut(this.#table, { ...item }, missing('pk'));
    try {
      await this.#client.send(new PutItemCommand({ ...put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }));
      return item;
    } catch (error) {
      return refusedItem<StepItem>('PutItem', error) ?? item;
    }
  }
}
