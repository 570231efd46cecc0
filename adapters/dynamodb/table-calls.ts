/** What every store on a table shares: one translation of refusals, one form of cursors. */
import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { toDependencyError } from '../aws/to-dependency-error.ts';
import { type AttributeMap, fromAttributes, toAttributes } from './marshal.ts';

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
