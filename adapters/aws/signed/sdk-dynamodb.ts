/** Stands in for `@aws-sdk/client-dynamodb` in the bundle of `ingest`: what its adapters import, and no more. */
import { command, ServiceError, SignedClient } from './signed-client.ts';

export class ConditionalCheckFailedException extends ServiceError {}

const SERVICE = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  jsonVersion: '1.0',
  errors: { ConditionalCheckFailedException },
} as const;

export class DynamoDBClient extends SignedClient {
  constructor(settings: ConstructorParameters<typeof SignedClient>[1]) {
    super(SERVICE, settings);
  }
}
export const GetItemCommand = command('GetItem');
export const PutItemCommand = command('PutItem');
export const UpdateItemCommand = command('UpdateItem');
