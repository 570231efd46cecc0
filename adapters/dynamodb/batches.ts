/**
 * Reads and writes of many items. DynamoDB may take such a call in part: a throttled table leaves keys or items
 * unprocessed, and the SDK asks for none of them again. So the rest is asked for here, after waits that double.
 */
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DependencyError } from '#core/errors.ts';
import { groupsOf } from '#core/side-by-side.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { type AttributeMap, toAttributes } from './marshal.ts';

/** DynamoDB's own limits of one call. */
const KEYS_PER_CALL = 100;
const WRITES_PER_CALL = 25;
/** With 100, 200, 400, 800 and 1,600 ms between them: 3.1 s in all. */
const TRIES = 6;
const FIRST_WAIT_MS = 100;

/** Milliseconds; a test waits without waiting. */
export type Sleep = (ms: number) => Promise<void>;
type Attributes = Record<string, AttributeValue>;

/** Where an item lies: the table's physical name, and the item's key. */
export interface ItemPlace {
  readonly table: string;
  readonly key: Readonly<Record<string, unknown>>;
}

/**
 * What is there of the keys, in no order; each key is given once. Throws DependencyError when some are still unread after
 * the last try.
 */
export async function readItems(
  client: DynamoDBClient,
  places: readonly ItemPlace[],
  rules: { readonly consistent: boolean; readonly sleep: Sleep },
): Promise<readonly { readonly table: string; readonly item: AttributeMap }[]> {
  const parts = groupsOf(places, KEYS_PER_CALL);
  return (await Promise.all(parts.map(part => readPart(client, part, rules)))).flat();
}

async function readPart(
  client: DynamoDBClient,
  places: readonly ItemPlace[],
  { consistent, sleep }: { readonly consistent: boolean; readonly sleep: Sleep },
): Promise<{ table: string; item: AttributeMap }[]> {
  const found: { table: string; item: AttributeMap }[] = [];
  let left: Record<string, { Keys: Attributes[]; ConsistentRead: boolean }> = {};
  for (const { table, key } of places) {
    left[table] ??= { Keys: [], ConsistentRead: consistent };
    left[table].Keys.push(toAttributes(key));
  }
  await untilNothingIsLeft('BatchGetItem', sleep, async () => {
    const input = { RequestItems: left };
    const page = await sent('dynamodb', 'BatchGetItem', () => client.send(new BatchGetItemCommand(input)));
    for (const [table, items] of Object.entries(page.Responses ?? {}))
      found.push(...items.map(item => ({ table, item })));
    left = (page.UnprocessedKeys ?? {}) as typeof left;
    return Object.values(left).reduce((sum, { Keys }) => sum + Keys.length, 0);
  });
  return found;
}

/** Plain puts, in no order. Throws DependencyError when some are still unwritten after the last try. */
export async function putItems(
  client: DynamoDBClient,
  table: string,
  items: readonly Readonly<Record<string, unknown>>[],
  sleep: Sleep,
): Promise<void> {
  await Promise.all(groupsOf(items, WRITES_PER_CALL).map(part => putPart(client, table, part, sleep)));
}

async function putPart(
  client: DynamoDBClient,
  table: string,
  items: readonly Readonly<Record<string, unknown>>[],
  sleep: Sleep,
): Promise<void> {
  let left = items.map(item => ({ PutRequest: { Item: toAttributes(item) } }));
  await untilNothingIsLeft('BatchWriteItem', sleep, async () => {
    const input = { RequestItems: { [table]: left } };
    const page = await sent('dynamodb', 'BatchWriteItem', () => client.send(new BatchWriteItemCommand(input)));
    left = (page.UnprocessedItems?.[table] ?? []) as typeof left;
    return left.length;
  });
}

/** `work`: one try; how many it left. */
async function untilNothingIsLeft(call: string, sleep: Sleep, work: () => Promise<number>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const left = await work();
    if (left === 0) return;
    if (attempt === TRIES) throw new DependencyError('dynamodb', `${call} left ${left} items undone ${TRIES} times`);
    await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}
