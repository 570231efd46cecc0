/** Plain values as DynamoDB's, and back, by AWS's own `@aws-sdk/util-dynamodb`; before a write, what it would store as something else. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { DependencyError } from '#core/errors.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

export type AttributeMap = Record<string, AttributeValue>;

/** Plain values as DynamoDB's. Throws DependencyError (`not_applied`) for what cannot be stored, and says what to do. */
export function toAttributes(item: Readonly<Record<string, unknown>>): AttributeMap {
  try {
    refuseUnstorable(item);
    return marshall(item);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new DependencyError('dynamodb', `the item cannot be stored: ${message}`, {
      cause: error,
      outcome: 'not_applied',
    });
  }
}

/** DynamoDB's values as plain ones. A whole number beyond 2^53 comes as a bigint. */
export function fromAttributes<T>(attributes: AttributeMap): T {
  return unmarshall(attributes) as T;
}
