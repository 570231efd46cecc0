/** Replaces `@aws-sdk/client-dynamodb` in the bundles of `ingest` and `process`: what our adapters import, and no more. */
import { command, ServiceError, SignedClient } from './signed-client.ts';

export class ConditionalCheckFailedException extends ServiceError {}
export class TransactionCanceledException extends ServiceError {}
export class TransactionInProgressException extends ServiceError {}

const SERVICE = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  jsonVersion: '1.0',
  errors: { ConditionalCheckFailedException, TransactionCanceledException, TransactionInProgressException },
} as const;

export class DynamoDBClient extends SignedClient {
  constructor(settings: ConstructorParameters<typeof SignedClient>[1]) {
    super(SERVICE, settings);
  }
}
export const BatchGetItemCommand = command('BatchGetItem');
export const BatchWriteItemCommand = command('BatchWriteItem');
export const DeleteItemCommand = command('DeleteItem');
export const GetItemCommand = command('GetItem');
export const PutItemCommand = command('PutItem');
export const QueryCommand = command('Query');
export const ScanCommand = command('Scan');
export const TransactWriteItemsCommand = command('TransactWriteItems');
export const UpdateItemCommand = command('UpdateItem');
