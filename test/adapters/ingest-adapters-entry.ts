/** The adapters of `ingest` that call AWS. Bundled with the signed clients in place of the SDK for the tests. */
export { createDynamoDbClient, primeDynamoDb } from '#adapters/dynamodb/create-dynamodb-client.ts';
export { DynamoDbEventWriter } from '#adapters/dynamodb/dynamodb-event-writer.ts';
export { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
export { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
export { createSqsClient, primeSqs } from '#adapters/sqs/create-sqs-client.ts';
export { SqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
