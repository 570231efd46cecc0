import { describe, expect, test } from 'vitest';
import { sent, toDependencyError } from '#adapters/aws/to-dependency-error.ts';
import { DependencyError } from '#core/errors.ts';

describe('an SDK error', () => {
  const outcomeOf = (fields: Record<string, unknown>): string =>
    toDependencyError('dynamodb', 'PutItem', Object.assign(new Error('message'), fields)).outcome;

  test.each([
    ['a refusal of a first try', { $fault: 'client', $metadata: { attempts: 1 } }, 'not_applied'],
    [
      'a throttle of a first try',
      { name: 'ThrottlingException', $fault: 'client', $metadata: { attempts: 1 } },
      'not_applied',
    ],
    ['a refusal of a second try', { $fault: 'client', $metadata: { attempts: 2 } }, 'unknown'],
    [
      'a malformed request, tried twice',
      { name: 'ValidationException', $fault: 'client', $metadata: { attempts: 2 } },
      'not_applied',
    ],
    ['a failure of the server', { $fault: 'server', $metadata: { attempts: 1 } }, 'unknown'],
    ['a timeout', { name: 'TimeoutError' }, 'unknown'],
    [
      'an answer with status 400 that was cut off',
      { name: 'TimeoutError', $metadata: { httpStatusCode: 400 } },
      'unknown',
    ],
    ['a reset', { code: 'ECONNRESET' }, 'unknown'],
  ])('that is %s', (_name, fields, outcome) => {
    expect(outcomeOf(fields)).toBe(outcome);
  });

  test.each([
    [
      'ValidationException',
      'The AttributeValue for a key attribute cannot contain an empty string value. Key: id',
      true,
    ],
    ['ValidationException', 'One or more parameter values were invalid: Missing the key id in the item', true],
    ['ValidationException', 'Size of hashkey has exceeded the maximum size limit of2048 bytes', true],
    ['ValidationException', 'Item size has exceeded the maximum allowed size', false],
    ['KMSInvalidStateException', 'The key is disabled', false],
  ])('%s says whether a row can have the key: %s', (name, message, isBadKey) => {
    const error = Object.assign(new Error(message), { name, $fault: 'client' });
    expect(toDependencyError('dynamodb', 'PutItem', error)).toMatchObject({ isBadKey });
  });

  test.each(['throttlingReasons', 'ThrottlingReasons'])('that is a throttle says which limit it met: %s', key => {
    const resource = 'arn:aws:dynamodb:eu-central-1:123456789012:table/Events/index/timeline';
    const reasons = [{ reason: 'IndexWriteKeyRangeThroughputExceeded', resource }];
    const cause = Object.assign(new Error('slow down'), { name: 'ThrottlingException', [key]: reasons });
    expect(toDependencyError('dynamodb', 'PutItem', cause).message).toBe(
      new DependencyError(
        'dynamodb',
        'PutItem: ThrottlingException (IndexWriteKeyRangeThroughputExceeded of Events/index/timeline): slow down',
      ).message,
    );
  });

  test('keeps its cause and never grows long', () => {
    const cause = new Error('x'.repeat(10_000));
    const error = toDependencyError('sqs', 'SendMessage', cause);
    expect(error.cause).toBe(cause);
    expect(error.message.length).toBeLessThan(600);
    expect(toDependencyError('sqs', 'SendMessage', error)).toBe(error);
    expect(error).toBeInstanceOf(DependencyError);
  });
});

test('a call that the SDK failed is a DependencyError that names it', async () => {
  const cause = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  const failed = sent('dynamodb', 'Query', () => Promise.reject(cause));
  await expect(failed).rejects.toThrow(new DependencyError('dynamodb', 'Query: ThrottlingException: slow down'));
  await expect(failed).rejects.toMatchObject({ cause });
  expect(await sent('dynamodb', 'Query', async () => 7)).toBe(7);
});
