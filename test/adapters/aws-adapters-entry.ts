/** The adapters of `ingest` and `process` that call AWS. Bundled with the signed clients in place of the SDK for the tests. */
export { DynamoDBClient } from '@aws-sdk/client-dynamodb';
export { SQSClient } from '@aws-sdk/client-sqs';
export { createDynamoDbClient, primeDynamoDb } from '#adapters/dynamodb/create-dynamodb-client.ts';
export { DynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
export { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
export { DynamoDbEventWriter } from '#adapters/dynamodb/dynamodb-event-writer.ts';
export { DynamoDbItemStore } from '#adapters/dynamodb/dynamodb-item-store.ts';
export { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
export { DynamoDbStepStore } from '#adapters/dynamodb/dynamodb-step-store.ts';
export { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
export { createSqsClient, primeSqs } from '#adapters/sqs/create-sqs-client.ts';
export { SqsDeadQueue } from '#adapters/sqs/sqs-dead-queue.ts';
export { SqsJobQueue } from '#adapters/sqs/sqs-outbound-job-queue.ts';
export { SqsQueueGauge } from '#adapters/sqs/sqs-queue-gauge.ts';
export { SqsReceiptBox } from '#adapters/sqs/sqs-receipt-box.ts';
export { SqsWakeQueue } from '#adapters/sqs/sqs-wake-queue.ts';
export { SqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
export { createQueueTarget } from '#adapters/targets/queue-target.ts';
