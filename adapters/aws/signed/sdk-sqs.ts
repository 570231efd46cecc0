/** Replaces `@aws-sdk/client-sqs` in the bundles of `ingest` and `process`. */
import { command, ServiceError, SignedClient } from './signed-client.ts';

export class ReceiptHandleIsInvalid extends ServiceError {}

const SERVICE = { name: 'sqs', target: 'AmazonSQS', jsonVersion: '1.0', errors: { ReceiptHandleIsInvalid } } as const;

export class SQSClient extends SignedClient {
  constructor(settings: ConstructorParameters<typeof SignedClient>[1]) {
    super(SERVICE, settings);
  }
}
export const ChangeMessageVisibilityCommand = command('ChangeMessageVisibility');
export const DeleteMessageCommand = command('DeleteMessage');
export const GetQueueAttributesCommand = command('GetQueueAttributes');
export const ReceiveMessageCommand = command('ReceiveMessage');
export const SendMessageCommand = command('SendMessage');
export const SendMessageBatchCommand = command('SendMessageBatch');
