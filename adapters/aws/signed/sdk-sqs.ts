/** Stands in for `@aws-sdk/client-sqs` in the bundle of `ingest`. */
import { command, SignedClient } from './signed-client.ts';

const SERVICE = { name: 'sqs', target: 'AmazonSQS', jsonVersion: '1.0', errors: {} } as const;

export class SQSClient extends SignedClient {
  constructor(settings: ConstructorParameters<typeof SignedClient>[1]) {
    super(SERVICE, settings);
  }
}
export const GetQueueAttributesCommand = command('GetQueueAttributes');
export const SendMessageCommand = command('SendMessage');
