import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { cursorOf, refusedItem, startAt } from '#adapters/dynamodb/table-calls.ts';
import { DependencyError } from '#core/errors.ts';

const $metadata = {};

describe('a call', () => {
  test('that was refused says what was there', () => {
    const refusal = { $metadata, message: 'The conditional request failed' };
    const there = new ConditionalCheckFailedException({ ...refusal, Item: { pk: { S: 'a' }, n: { N: '3' } } });
    expect(refusedItem('PutItem', there)).toEqual({ pk: 'a', n: 3 });
    expect(refusedItem('PutItem', new ConditionalCheckFailedException(refusal))).toBeUndefined();
    expect(() => refusedItem('PutItem', new Error('reset'))).toThrow(DependencyError);
  });
});

test('a cursor is a text that begins the next page behind the last one', () => {
  const key = { pk: { S: 'Q#1' }, sk: { S: 'b' }, n: { N: '5' } };
  expect(startAt(cursorOf(key).cursor)).toEqual({ ExclusiveStartKey: key });
  expect([cursorOf(undefined), startAt(undefined)]).toEqual([{}, {}]);
});
