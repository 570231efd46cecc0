/** A throttled table answers a read or a write of many items in part. The SDK asks for the rest of none of them again. */
import { BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbItemStore } from '#adapters/dynamodb/dynamodb-item-store.ts';
import { toAttributes } from '#adapters/dynamodb/marshal.ts';
import { DependencyError } from '#core/errors.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';

type Key = Record<string, unknown>;
interface Asked {
  readonly table: string;
  readonly keys: readonly Key[];
}

/** Takes `of(n)` items of the n-th call, from 1, and leaves the others unprocessed, as a throttled table does. */
class ThrottledTable {
  readonly calls: Asked[][] = [];
  readonly waits: number[] = [];
  readonly written: unknown[] = [];
  readonly client: DynamoDBClient;
  readonly sleep = async (ms: number): Promise<void> => {
    this.waits.push(ms);
  };

  constructor(
    items: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>,
    of: (n: number) => number,
  ) {
    const nameOf = (place: Key): string => JSON.stringify([place['pk'], place['sk']]);
    const send = async (command: { input: { RequestItems: Record<string, unknown> } }): Promise<unknown> => {
      const isRead = command instanceof BatchGetItemCommand;
      const given = Object.entries(command.input.RequestItems).flatMap(([table, asked]) =>
        (isRead ? (asked as { Keys: Key[] }).Keys : (asked as Key[])).map(entry => ({ table, entry })),
      );
      const tables = [...new Set(given.map(({ table }) => table))];
      const listOf = (of: typeof given, table: string): Key[] =>
        of.filter(each => each.table === table).map(({ entry }) => entry);
      this.calls.push(tables.map(table => ({ table, keys: listOf(given, table) })));
      const taken = given.slice(0, of(this.calls.length));
      const left = given.slice(taken.length);
      const leftOf = [...new Set(left.map(({ table }) => table))].map(table => [table, listOf(left, table)] as const);
      if (!isRead) {
        this.written.push(...taken.map(({ entry }) => entry));
        return { UnprocessedItems: Object.fromEntries(leftOf) };
      }
      const stored = (table: string, key: Key) =>
        (items[table] ?? []).map(toAttributes).filter(item => nameOf(item) === nameOf(key));
      return {
        Responses: Object.fromEntries(
          tables.map(table => [table, listOf(taken, table).flatMap(key => stored(table, key))]),
        ),
        UnprocessedKeys: Object.fromEntries(leftOf.map(([table, Keys]) => [table, { Keys, ConsistentRead: true }])),
      };
    };
    this.client = { send } as unknown as DynamoDBClient;
  }

  get events(): DynamoDbEventStore {
    return new DynamoDbEventStore(this.client, 'events', this.sleep);
  }
  get items(): DynamoDbItemStore {
    return new DynamoDbItemStore(this.client, { registry: 'registry', outbox: 'outbox' }, this.sleep);
  }
}

const WAITS = [100, 200, 400, 800, 1_600];
const three = ['a', 'b', 'c'].map(id => makeEventItem('s', id));
const rows = ['a', 'b', 'c'].map(sk => ({ pk: 'Q#1', sk, msg: sk, createdAt: 1, gen: 1, n: 0, expiresAt: 2 }));
const keys = rows.map(({ pk, sk }) => ({ table: 'outbox', pk, sk }) as const);

describe('a table that leaves keys unread', () => {
  test('is asked for the rest by the store of events, after a wait', async () => {
    const table = new ThrottledTable({ events: three }, () => 1);
    const found = await table.events.getMany(three.map(({ pk }) => pk));
    expect(found.map(({ pk }) => pk)).toEqual(three.map(({ pk }) => pk));
    expect(table.calls.map(([asked]) => asked?.keys.length)).toEqual([3, 2, 1]);
    expect(table.waits).toEqual([100, 200]);
  });

  test('is asked for the rest by the store of sending, of both tables', async () => {
    const name = { pk: 'U#1', sk: 'META', id: 'app_1' };
    const table = new ThrottledTable({ outbox: rows, registry: [name] }, () => 2);
    const found = await table.items.getMany([
      ...keys,
      { table: 'registry', pk: 'U#1', sk: 'META' },
      ...keys.slice(0, 1),
    ]);
    expect(found).toEqual([...rows, name, rows[0]]);
    expect(table.calls.map(call => call.map(({ table, keys }) => [table, keys.length]))).toEqual([
      [
        ['outbox', 3],
        ['registry', 1],
      ],
      [
        ['outbox', 1],
        ['registry', 1],
      ],
    ]);
    expect(table.waits).toEqual([100]);
  });

  test.each([
    ['events', (table: ThrottledTable) => table.events.getMany(three.map(({ pk }) => pk))],
    ['sending', (table: ThrottledTable) => table.items.getMany(keys)],
  ])('fails after six tries and 3.1 s of waits: the store of %s', async (_, read) => {
    const table = new ThrottledTable({}, () => 0);
    await expect(read(table)).rejects.toThrow(
      new DependencyError('dynamodb', 'BatchGetItem left 3 items undone 6 times'),
    );
    expect(table.calls).toHaveLength(6);
    expect(table.waits).toEqual(WAITS);
  });

  test('is not asked about nothing, and never for more than 100 keys at once', async () => {
    const table = new ThrottledTable({}, () => 100);
    expect(await table.items.getMany([])).toEqual([]);
    expect(await table.events.getMany([])).toEqual([]);
    await table.events.getMany(Array.from({ length: 101 }, (_, n) => makeEventItem('s', `e${n}`).pk));
    expect(table.calls.map(([asked]) => asked?.keys.length).toSorted()).toEqual([1, 100]);
  });
});

describe('a table that leaves items unwritten', () => {
  test('is given the rest, after a wait', async () => {
    const table = new ThrottledTable({}, () => 2);
    await table.items.putMany('outbox', rows);
    expect(table.written).toEqual(rows.map(row => ({ PutRequest: { Item: toAttributes(row) } })));
    expect(table.waits).toEqual([100]);
  });

  test('fails after six tries', async () => {
    const table = new ThrottledTable({}, () => 0);
    await expect(table.items.putMany('outbox', rows)).rejects.toThrow('BatchWriteItem left 3 items undone 6 times');
    expect(table.waits).toEqual(WAITS);
  });

  test('is never given more than 25 at once', async () => {
    const table = new ThrottledTable({}, () => 25);
    await table.items.putMany(
      'outbox',
      Array.from({ length: 30 }, (_, n) => ({ pk: 'Q#1', sk: String(n) })),
    );
    expect(table.calls.map(([asked]) => asked?.keys.length).toSorted()).toEqual([25, 5]);
  });
});
