import {
  type DynamoDBClient,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { transact } from '#adapters/dynamodb/transact.ts';
import { DependencyError } from '#core/errors.ts';

const answered = (error?: Error) => {
  const send = async (): Promise<unknown> => (error === undefined ? {} : Promise.reject(error));
  return transact({ send } as unknown as DynamoDBClient, [], 'token');
};
const said = { $metadata: {}, message: 'canceled' };
const canceled = (...codes: string[]) =>
  new TransactionCanceledException({ ...said, CancellationReasons: codes.map(Code => ({ Code })) });

describe('a transaction', () => {
  test.each([
    ['applied', undefined, { kind: 'applied' }],
    ['refused: the first condition that does not hold', canceled('None', 'ConditionalCheckFailed'), { index: 1 }],
    ['refused, though another write met it', canceled('TransactionConflict', 'ConditionalCheckFailed'), { index: 1 }],
    ['met by another write', canceled('None', 'TransactionConflict'), { kind: 'conflict' }],
    ['still under way', new TransactionInProgressException(said), { kind: 'conflict' }],
  ])('%s', async (_, error, result) => {
    expect(await answered(error)).toMatchObject(result);
  });

  test('that was canceled for another reason was not applied, and says why', async () => {
    const throttled = answered(canceled('None', 'ThrottlingError'));
    await expect(throttled).rejects.toThrow('TransactWriteItems canceled: None; ThrottlingError');
    await expect(throttled).rejects.toMatchObject({ outcome: 'not_applied' });
    await expect(answered(canceled())).rejects.toBeInstanceOf(DependencyError);
  });

  test.each([
    ['ValidationError', 'Type mismatch for key id expected: S actual: N', true],
    ['ValidationError', 'Item size has exceeded the maximum allowed size', false],
    ['AccessDenied', 'no use of the key', false],
  ])('that was canceled for %s (%s) says whether a row can have the key', async (Code, Message, isBadKey) => {
    const error = new TransactionCanceledException({ ...said, CancellationReasons: [{ Code, Message }] });
    await expect(answered(error)).rejects.toMatchObject({ outcome: 'not_applied', isBadKey });
  });

  test('whose answer was lost is not known', async () => {
    await expect(answered(new Error('reset'))).rejects.toMatchObject({ outcome: 'unknown' });
  });
});
