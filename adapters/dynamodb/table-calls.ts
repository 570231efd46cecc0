/** What every store on a table shares: reads and writes of one item, one translation of refusals, one form of cursors. */
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Condition, Scalar } from '#core/condition.ts';
import { given } from '#core/given.ts';
import { sent, toDependencyError } from '../aws/to-dependency-error.ts';
import { type Changes, compilePut, compileUpdate } from './compile-write.ts';
import { type AttributeMap, fromAttributes, toAttributes } from './marshal.ts';

/** Of a write whose condition did not hold, the item that is there; undefined for none. */
interface RefusedWrite<T> {
  readonly kind: 'refused';
  readonly item: T | undefined;
}

const ALL_OLD = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

export async function getItem<T>(
  client: DynamoDBClient,
  table: string,
  key: Readonly<Record<string, Scalar>>,
  ConsistentRead = true,
): Promise<T | undefined> {
  const input = { TableName: table, Key: toAttributes(key), ConsistentRead };
  const { Item } = await sent('dynamodb', 'GetItem', () => client.send(new GetItemCommand(input)));
  return Item && fromAttributes<T>(Item);
}

export async function putItem<T extends object>(
  client: DynamoDBClient,
  table: string,
  item: T,
  condition?: Condition,
): Promise<{ readonly kind: 'applied'; readonly item: T } | RefusedWrite<T>> {
  const put = compilePut(table, { ...item } as Readonly<Record<string, unknown>>, condition);
  try {
    await client.send(new PutItemCommand({ ...put, ...(condition && ALL_OLD) }));
    return { kind: 'applied', item };
  } catch (error) {
    return { kind: 'refused', item: refusedItem<T>('PutItem', error) };
  }
}

/** `item`, where it was applied: as it is afterwards. */
export async function updateItem<T>(
  client: DynamoDBClient,
  table: string,
  key: Readonly<Record<string, Scalar>>,
  changes: Changes,
  condition: Condition | undefined,
): Promise<{ readonly kind: 'applied'; readonly item: T } | RefusedWrite<T>> {
  const update = compileUpdate(table, key, changes, condition);
  try {
    const command = new UpdateItemCommand({ ...update, ReturnValues: 'ALL_NEW', ...ALL_OLD });
    const { Attributes = {} } = await client.send(command);
    return { kind: 'applied', item: fromAttributes<T>(Attributes) };
  } catch (error) {
    return { kind: 'refused', item: refusedItem<T>('UpdateItem', error) };
  }
}

/** Everything that a query finds. */
export async function queryAll<T>(client: DynamoDBClient, input: QueryCommandInput): Promise<T[]> {
  const found: T[] = [];
  let from: AttributeMap | undefined;
  do {
    const command = new QueryCommand({ ...input, ...given({ ExclusiveStartKey: from }) });
    const page = await sent('dynamodb', 'Query', () => client.send(command));
    found.push(...(page.Items ?? []).map(item => fromAttributes<T>(item)));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return found;
}

/** Of a conditional write that failed: the item that was there, undefined for none. Throws if it was not refused. */
export function refusedItem<T>(call: string, error: unknown): T | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) throw toDependencyError('dynamodb', call, error);
  return error.Item && fromAttributes<T>(error.Item);
}

/** Where a page begins: behind the one that gave the cursor. */
export function startAt(cursor: string | undefined): { ExclusiveStartKey?: Record<string, AttributeValue> } {
  return cursor === undefined ? {} : { ExclusiveStartKey: toAttributes(JSON.parse(cursor) as Record<string, unknown>) };
}

/** The cursor of a page; none on the last. */
export function cursorOf(key: AttributeMap | undefined): { cursor?: string } {
  return key === undefined ? {} : { cursor: JSON.stringify(fromAttributes(key)) };
}
