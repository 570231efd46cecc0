import { DeleteItemCommand, type DynamoDBClient, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { given } from '#core/given.ts';
import type {
  Item,
  ItemPage,
  ItemPut,
  ItemResult,
  ItemStore,
  ItemsOf,
  ItemsTransactResult,
  ItemUpdate,
  ItemWrite,
  KeyRange,
  OutboundTable,
  Placed,
  TableKey,
} from '#core/outbound/ports.ts';
import { LISTED } from '#core/outbound/protocol/keys.ts';
import { parseFound, parseItem } from '#core/outbound/protocol/parse-item.ts';
import type { EffectWrite } from '#core/ports.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { systemTimer } from '../system.ts';
import { putItems, readItems, type Sleep } from './batches.ts';
import { compileTransactWrite } from './compile-write.ts';
import { fromAttributes, toAttributes } from './marshal.ts';
import { cursorOf, getItem, putItem, startAt, updateItem } from './table-calls.ts';
import { transact } from './transact.ts';

const PAGE_LIMIT = 100;

/** `ItemStore` on the two outbound tables. */
export class DynamoDbItemStore implements ItemStore {
  readonly #client: DynamoDBClient;
  readonly #names: Readonly<Record<OutboundTable, string>>;
  readonly #sleep: Sleep;

  /** `names`: physical names. `sleep`: between the tries of a batch that was taken in part. */
  constructor(
    client: DynamoDBClient,
    names: Readonly<Record<OutboundTable, string>>,
    sleep: Sleep = systemTimer.sleep,
  ) {
    this.#client = client;
    this.#names = names;
    this.#sleep = sleep;
  }

  async put<T>({ key, item, condition }: ItemPut<T>): Promise<ItemResult<T>> {
    const whole = { ...item, pk: key.pk, sk: key.sk };
    const written = await putItem<object>(this.#client, this.#names[key.table], whole, condition);
    return written.kind === 'applied'
      ? { kind: 'applied', item: whole }
      : { kind: 'refused', item: parseFound<T>(key.table, written.item as Item | undefined) };
  }

  putMany(table: OutboundTable, items: readonly Placed<Item>[]): Promise<void> {
    return putItems(this.#client, this.#names[table], items, this.#sleep);
  }

  async update<T>({ key, condition, set, add, remove }: ItemUpdate<T>): Promise<ItemResult<T>> {
    const changes = {
      ...(set === undefined ? {} : { set: set as Readonly<Record<string, unknown>> }),
      ...(add === undefined ? {} : { add: add as Readonly<Record<string, number>> }),
      ...given({ remove }),
    };
    const { table, pk, sk } = key;
    const written = await updateItem<Item>(this.#client, this.#names[table], { pk, sk }, changes, condition);
    return written.kind === 'applied'
      ? { kind: 'applied', item: parseItem<T>(table, written.item) }
      : { kind: 'refused', item: parseFound<T>(table, written.item) };
  }

  async delete({ table, pk, sk }: TableKey): Promise<void> {
    const input = { TableName: this.#names[table], Key: toAttributes({ pk, sk }) };
    await sent('dynamodb', 'DeleteItem', () => this.#client.send(new DeleteItemCommand(input)));
  }

  async get<T>({ table, pk, sk }: TableKey<T>, read: 'consistent' | 'eventual'): Promise<T | undefined> {
    const isConsistent = read === 'consistent';
    return parseFound<T>(table, await getItem<Item>(this.#client, this.#names[table], { pk, sk }, isConsistent));
  }

  async getMany<const Keys extends readonly TableKey[]>(
    keys: Keys,
    read: 'consistent' | 'eventual' = 'consistent',
  ): Promise<ItemsOf<Keys>> {
    const placeOf = (table: string, { pk, sk }: Item): string => `${table}\n${pk}\n${sk}`;
    const wanted = keys.map(({ table, pk, sk }) => ({ table: this.#names[table], key: { pk, sk } }));
    const once = new Map(wanted.map(each => [placeOf(each.table, each.key), each]));
    const rules = { consistent: read === 'consistent', sleep: this.#sleep };
    const found = new Map<string, Item>();
    for (const { table, item } of await readItems(this.#client, [...once.values()], rules)) {
      const there = fromAttributes<Item>(item);
      found.set(placeOf(table, there), there);
    }
    const there = wanted.map(({ table, key }, at) =>
      parseFound(keys[at]?.table ?? 'outbox', found.get(placeOf(table, key))),
    );
    return there as unknown as ItemsOf<Keys>;
  }

  async query<T>(range: KeyRange<T>): Promise<ItemPage<Placed<T>>> {
    const { table, partition, index, from, to, newestFirst = false, limit = PAGE_LIMIT, cursor, read } = range;
    // DynamoDB refuses a BETWEEN whose bounds are the wrong way round.
    if (from !== undefined && to !== undefined && from > to) return { items: [] };
    const [pk, sk] = index === undefined ? ['pk', 'sk'] : [LISTED.partition, LISTED.sort];
    const bounded = from !== undefined || to !== undefined;
    const input = {
      TableName: this.#names[table],
      ...(index === undefined ? { ConsistentRead: read !== 'eventual' } : { IndexName: LISTED.name }),
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
    const page = await sent('dynamodb', 'Query', () => this.#client.send(new QueryCommand(input)));
    return {
      items: (page.Items ?? []).map(item => {
        const stored = fromAttributes<Item>(item);
        return index === undefined ? parseItem<Placed<T>>(table, stored) : (stored as Placed<T>);
      }),
      ...cursorOf(page.LastEvaluatedKey),
    };
  }

  async scan(
    table: OutboundTable,
    { segment, of, cursor }: { segment: number; of: number; cursor?: string },
  ): Promise<ItemPage<Placed<Item>>> {
    const input = { TableName: this.#names[table], Segment: segment, TotalSegments: of, ...startAt(cursor) };
    const page = await sent('dynamodb', 'Scan', () => this.#client.send(new ScanCommand(input)));
    const items = (page.Items ?? []).map(item => fromAttributes<Placed<Item>>(item));
    return { items, ...cursorOf(page.LastEvaluatedKey) };
  }

  transact(writes: readonly ItemWrite[], token: string): Promise<ItemsTransactResult> {
    return transact(
      this.#client,
      writes.map(write => compileTransactWrite(this.#toEffect(write))),
      token,
    );
  }

  #toEffect(write: ItemWrite): EffectWrite {
    const { pk, sk } = write.key;
    const { key: _, ...rest } = write;
    const table = this.#names[write.key.table];
    if (write.kind === 'put') return { ...rest, table, item: { ...write.item, pk, sk } } as EffectWrite;
    return { ...rest, table, key: { pk, sk } } as EffectWrite;
  }
}
