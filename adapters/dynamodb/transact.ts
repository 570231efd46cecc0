import {
  type DynamoDBClient,
  TransactionCanceledException,
  TransactionInProgressException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { DependencyError } from '#core/errors.ts';
import { isAboutKey, toDependencyError } from '../aws/to-dependency-error.ts';

/** `refused`: the condition of the write at `index` (from 0, the first of them). `conflict`: nothing applied, try again. */
export type Transacted =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused'; readonly index: number }
  | { readonly kind: 'conflict' };

/** All or nothing. The same token within 10 minutes is the same request. Throws DependencyError. */
export async function transact(
  client: DynamoDBClient,
  TransactItems: TransactWriteItem[],
  token: string,
): Promise<Transacted> {
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: token }));
    return { kind: 'applied' };
  } catch (error) {
    return cancellationOf(error);
  }
}

/** Why a transaction was canceled. A canceled one is never applied, whatever the reason: throttling, an oversized item. */
function cancellationOf(error: unknown): Transacted {
  if (error instanceof TransactionInProgressException) return { kind: 'conflict' };
  if (!(error instanceof TransactionCanceledException))
    throw toDependencyError('dynamodb', 'TransactWriteItems', error);
  const given = error.CancellationReasons ?? [];
  const index = given.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
  if (index >= 0) return { kind: 'refused', index };
  if (given.some(({ Code }) => Code === 'TransactionConflict')) return { kind: 'conflict' };
  const reasons = given.map(({ Code, Message }) => `${Code} ${Message ?? ''}`.trim());
  throw new DependencyError('dynamodb', `TransactWriteItems canceled: ${reasons.join('; ').slice(0, 400)}`, {
    cause: error,
    outcome: 'not_applied',
    isBadKey: given.some(({ Code, Message }) => Code === 'ValidationError' && isAboutKey(Message)),
  });
}
