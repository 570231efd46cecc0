import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Condition, Scalar } from '#core/condition.ts';
import type { EffectWrite } from '#core/ports.ts';
import { compileCondition } from './compile-condition.ts';
import { toAttributes } from './marshal.ts';
import { Placeholders } from './placeholders.ts';

/** What an update changes: attributes to set, to add to (a missing one counts as 0), and to remove. */
export interface Changes {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

/** An update that changes nothing still needs an expression in a transaction: it removes what no item has. */
const NO_ATTRIBUTE = '_none';

/** The parameters of a put, alone or in a transaction. */
export function compilePut(table: string, item: Readonly<Record<string, unknown>>, condition?: Condition) {
  const placeholders = new Placeholders();
  return {
    TableName: table,
    Item: toAttributes(item),
    ...compileGuard(condition, placeholders),
    ...placeholders.parameters(),
  };
}

/** The parameters of an update, alone or in a transaction. */
export function compileUpdate(
  table: string,
  key: Readonly<Record<string, Scalar>>,
  changes: Changes,
  condition?: Condition,
) {
  const placeholders = new Placeholders();
  const name = (attribute: string): string => placeholders.name(attribute);
  const value = (given: unknown): string => placeholders.value(given);
  const set = Object.entries(changes.set ?? {}).map(([attribute, given]) => `${name(attribute)} = ${value(given)}`);
  const add = Object.entries(changes.add ?? {}).map(([attribute, given]) => `${name(attribute)} ${value(given)}`);
  const remove = (changes.remove ?? []).map(name);
  if (set.length + add.length + remove.length === 0) remove.push(name(NO_ATTRIBUTE));
  return {
    TableName: table,
    Key: toAttributes(key),
    UpdateExpression: [clause('SET', set), clause('ADD', add), clause('REMOVE', remove)].join('').trim(),
    ...compileGuard(condition, placeholders),
    ...placeholders.parameters(),
  };
}

/** One write of a transaction. */
export function compileTransactWrite(write: EffectWrite): TransactWriteItem {
  if (write.kind === 'put') return { Put: compilePut(write.table, write.item, write.condition) };
  if (write.kind === 'update') return { Update: compileUpdate(write.table, write.key, write, write.condition) };
  const placeholders = new Placeholders();
  const guard = compileGuard(write.condition, placeholders);
  const place = { TableName: write.table, Key: toAttributes(write.key) };
  if (write.kind === 'delete') return { Delete: { ...place, ...guard, ...placeholders.parameters() } };
  return { ConditionCheck: { ConditionExpression: '', ...place, ...guard, ...placeholders.parameters() } };
}

function compileGuard(condition: Condition | undefined, placeholders: Placeholders): { ConditionExpression?: string } {
  return condition ? { ConditionExpression: compileCondition(condition, placeholders) } : {};
}

function clause(word: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` ${word} ${parts.join(', ')}`;
}
