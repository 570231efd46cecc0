import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactionCanceledException,
  TransactionInProgressException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DependencyError } from '#core/errors.ts';
import type {
  Item,
  ItemPage,
  ItemPut,
  ItemResult,
  ItemStore,
  ItemsTransactResult,
  ItemUpdate,
  ItemWrite,
  KeyRange,
  OutboundTable,
  Placed,
  TableKey,
} from '#core/outbound/ports.ts';
import { LISTED } from '#core/outbound/protocol/keys.ts';
import type { EffectWrite } from '#core/ports.ts';
import { toDependencyError } from '../aws/to-dependency-error.ts';
import { type AttributeMap, fromAttributes, toAttributes } from './attribute-values.ts';
import { compilePut, compileTransactWrite, compileUpdate } from './compile-write.ts';

const PAGE_LIMIT = 100;
const WRITES_PER_CALL = 25;
const KEYS_PER_CALL = 100;
const TRIES = 6;
const ALL_OLD = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** `ItemStore` on the two outbound tables. */
export class DynamoDbItemStore implements ItemStore {
  readonly #client: DynamoDBClient;
  readonly #names: Readonly<Record<OutboundTable, string>>;
  readonly #sleep: (ms: number) => Promise<void>;

  /** `names`: physical names. `sleep`: between the tries of a batch that was taken in part. */
  constructor(
    client: DynamoDBClient,
    names: Readonly<Record<OutboundTable, string>>,
    sleep: (ms: number) => Promise<void>,
  ) {
    this.#client = client;
    this.#names = names;
    this.#sleep = sleep;
  }

  async put<T>({ key, item, condition }: ItemPut<T>): Promise<ItemResult<T>> {
    const whole = { ...item, pk: key.pk, sk: key.sk };
    const put = compilePut(this.#names[key.table], whole, condition);
    try {
      await this.#client.send(new PutItemCommand({ ...put, ...(condition ? ALL_OLD : {}) }));
      return { kind: 'applied', item: whole };
    } catch (error) {
      return refusedOrThrow('PutItem', error);
    }
  }

  async putMany(table: OutboundTable, items: readonly Placed<Item>[]): Promise<void> {
    const parts: Placed<Item>[][] = [];
    for (let at = 0; at < items.length; at += WRITES_PER_CALL) parts.push(items.slice(at, at + WRITES_PER_CALL));
    await Promise.all(parts.map(part => this.#putPart(this.#names[table], part)));
  }

  async #putPart(table: string, items: readonly Placed<Item>[]): Promise<void> {
    let left = items.map(item => ({ PutRequest: { Item: toAttributes(item) } }));
    for (let attempt = 1; left.length > 0; attempt++) {
      if (attempt > TRIES) {
        throw new DependencyError('dynamodb', `BatchWriteItem left ${left.length} items unwritten ${TRIES} times`);
      }
      if (attempt > 1) await this.#sleep(25 * 2 ** attempt);
      const RequestItems = { [table]: left };
      const { UnprocessedItems } = await this.#call('BatchWriteItem', () =>
        this.#client.send(new BatchWriteItemCommand({ RequestItems })),
      );
      left = (UnprocessedItems?.[table] ?? []) as typeof left;
    }
  }

  async update<T>({ key, condition, set, add, remove }: ItemUpdate<T>): Promise<ItemResult<T>> {
    const changes = {
      ...(set === undefined ? {} : { set: set as Readonly<Record<string, unknown>> }),
      ...(add === undefined ? {} : { add: add as Readonly<Record<string, number>> }),
      ...(remove === undefined ? {} : { remove }),
    };
    const compiled = compileUpdate(this.#names[key.table], { pk: key.pk, sk: key.sk }, changes, condition);
    try {
      const { Attributes = {} } = await this.#client.send(
        new UpdateItemCommand({ ...compiled, ReturnValues: 'ALL_NEW', ...ALL_OLD }),
      );
      return { kind: 'applied', item: fromAttributes<T>(Attributes) };
    } catch (error) {
      return refusedOrThrow('UpdateItem', error);
    }
  }

  async delete({ table, pk, sk }: TableKey): Promise<void> {
    const input = { TableName: this.#names[table], Key: toAttributes({ pk, sk }) };
    await this.#call('DeleteItem', () => this.#client.send(new DeleteItemCommand(input)));
  }

  async get<T>({ table, pk, sk }: TableKey<T>, read: 'consistent' | 'eventual'): Promise<T | undefined> {
    const place = { TableName: this.#names[table], Key: toAttributes({ pk, sk }) };
    const input = { ...place, ConsistentRead: read === 'consistent' };
    const { Item } = await this.#call('GetItem', () => this.#client.send(new GetItemCommand(input)));
    return Item && fromAttributes<T>(Item);
  }

  async getMany(
    keys: readonly TableKey[],
    read: 'consistent' | 'eventual' = 'consistent',
  ): Promise<readonly (Item | undefined)[]> {
    const placeOf = ({ table, pk, sk }: TableKey): string => `${table}\n${pk}\n${sk}`;
    const wanted = [...new Map(keys.map(key => [placeOf(key), key])).values()];
    const found = new Map<string, Item>();
    const parts: TableKey[][] = [];
    for (let at = 0; at < wanted.length; at += KEYS_PER_CALL) parts.push(wanted.slice(at, at + KEYS_PER_CALL));
    await Promise.all(
      parts.map(async part => {
        for (const [table, item] of await this.#getPart(part, read === 'consistent')) {
          found.set(placeOf({ table, pk: String(item['pk']), sk: String(item['sk']) }), item);
        }
      }),
    );
    return keys.map(key => found.get(placeOf(key)));
  }

  async #getPart(
    keys: readonly TableKey[],
    ConsistentRead: boolean,
  ): Promise<readonly (readonly [OutboundTable, Item])[]> {
    const found: (readonly [OutboundTable, Item])[] = [];
    const tables = ['registry', 'outbox'] as const;
    let left: Record<string, { Keys: AttributeMap[]; ConsistentRead: boolean }> = {};
    for (const table of tables) {
      const Keys = keys.filter(key => key.table === table).map(({ pk, sk }) => toAttributes({ pk, sk }));
      if (Keys.length > 0) left[this.#names[table]] = { Keys, ConsistentRead };
    }
    for (let attempt = 1; Object.keys(left).length > 0; attempt++) {
      if (attempt > TRIES) throw new DependencyError('dynamodb', `BatchGetItem left keys unread ${TRIES} times`);
      if (attempt > 1) await this.#sleep(25 * 2 ** attempt);
      const RequestItems = left;
      const page = await this.#call('BatchGetItem', () => this.#client.send(new BatchGetItemCommand({ RequestItems })));
      for (const table of tables) {
        for (const item of page.Responses?.[this.#names[table]] ?? []) found.push([table, fromAttributes<Item>(item)]);
      }
      left = (page.UnprocessedKeys ?? {}) as typeof left;
    }
    return found;
  }

  async query<T>(range: KeyRange<T>): Promise<ItemPage<Placed<T>>> {
    const { table, partition, index, from, to, newestFirst = false, limit = PAGE_LIMIT, cursor } = range;
    // DynamoDB refuses a BETWEEN whose bounds are the wrong way round.
    if (from !== undefined && to !== undefined && from > to) return { items: [] };
    const [pk, sk] = index === undefined ? ['pk', 'sk'] : [LISTED.partition, LISTED.sort];
    const bounded = from !== undefined || to !== undefined;
    const input = {
      TableName: this.#names[table],
      ...(index === undefined ? { ConsistentRead: true } : { IndexName: LISTED.name }),
      KeyConditionExpression: bounded ? '#p = :p AND #s BETWEEN :from AND :to' : '#p = :p',
      ExpressionAttributeNames: { '#p': pk, ...(bounded ? { '#s': sk } : {}) },
      ExpressionAttributeValues: toAttributes({
        ':p': partition,
        // A key may not be empty: a blank comes before all of ours.
        ...(bounded ? { ':from': from || ' ', ':to': to ?? '\uffff' } : {}),
      }),
      ScanIndexForward: !newestFirst,
      Limit: limit,
      ...startAt(cursor),
    };
    const page = await this.#call('Query', () => this.#client.send(new QueryCommand(input)));
    return {
      items: (page.Items ?? []).map(item => fromAttributes<Placed<T>>(item)),
      ...cursorOf(page.LastEvaluatedKey),
    };
  }

  async scan(
    table: OutboundTable,
    { segment, of, cursor }: { segment: number; of: number; cursor?: string },
  ): Promise<ItemPage<Placed<Item>>> {
    const input = { TableName: this.#names[table], Segment: segment, TotalSegments: of, ...startAt(cursor) };
    const page = await this.#call('Scan', () => this.#client.send(new ScanCommand(input)));
    const items = (page.Items ?? []).map(item => fromAttributes<Placed<Item>>(item));
    return { items, ...cursorOf(page.LastEvaluatedKey) };
  }

  async transact(writes: readonly ItemWrite[], token: string): Promise<ItemsTransactResult> {
    const TransactItems = writes.map(write => compileTransactWrite(this.#toEffect(write)));
    try {
      await this.#client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: token }));
      return { kind: 'applied' };
    } catch (error) {
      return cancellationOf(error);
    }
  }

  #toEffect(write: ItemWrite): EffectWrite {
    const { pk, sk } = write.key;
    const { key: _, ...rest } = write;
    const table = this.#names[write.key.table];
    if (write.kind === 'put') return { ...rest, table, item: { ...write.item, pk, sk } } as EffectWrite;
    return { ...rest, table, key: { pk, sk } } as EffectWrite;
  }

  async #call<T>(call: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw toDependencyError('dynamodb', call, error);
    }
  }
}

function refusedOrThrow<T>(call: string, error: unknown): ItemResult<T> {
  if (!(error instanceof ConditionalCheckFailedException)) throw toDependencyError('dynamodb', call, error);
  return { kind: 'refused', item: error.Item && fromAttributes<T>(error.Item) };
}

/** Why a transaction was cancelled. A cancelled one is never applied, whatever the reason. */
function cancellationOf(error: unknown): ItemsTransactResult {
  if (error instanceof TransactionInProgressException) return { kind: 'conflict' };
  if (!(error instanceof TransactionCanceledException))
    throw toDependencyError('dynamodb', 'TransactWriteItems', error);
  const codes = (error.CancellationReasons ?? []).map(reason => reason.Code);
  const index = codes.indexOf('ConditionalCheckFailed');
  if (index >= 0) return { kind: 'refused', index };
  if (codes.includes('TransactionConflict')) return { kind: 'conflict' };
  const reasons = (error.CancellationReasons ?? []).map(({ Code, Message }) => `${Code} ${Message ?? ''}`.trim());
  throw new DependencyError('dynamodb', `TransactWriteItems cancelled: ${reasons.join('; ').slice(0, 400)}`, {
    cause: error,
    outcome: 'not_applied',
  });
}

function startAt(cursor: string | undefined): { ExclusiveStartKey?: Record<string, AttributeValue> } {
  return cursor === undefined ? {} : { ExclusiveStartKey: toAttributes(JSON.parse(cursor) as Record<string, unknown>) };
}

function cursorOf(key: AttributeMap | undefined): { cursor?: string } {
  return key === undefined ? {} : { cursor: JSON.stringify(fromAttributes(key)) };
}
