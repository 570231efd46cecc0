// What anybody would write: a handler with the SDK's three clients, made at the start and asked once.
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';

const { EVENTS_TABLE, WORK_QUEUE_URL } = process.env;
const [dynamodb, sqs, secrets] = [new DynamoDBClient({}), new SQSClient({}), new SecretsManagerClient({})];
await Promise.allSettled([
  dynamodb.send(new GetItemCommand({ TableName: EVENTS_TABLE, Key: { pk: { S: '_prime' } } })),
  sqs.send(new GetQueueAttributesCommand({ QueueUrl: WORK_QUEUE_URL, AttributeNames: ['QueueArn'] })),
  secrets.send(new GetSecretValueCommand({ SecretId: 'holdfast/prod/github' })),
]);
export const handler = async () => ({ statusCode: 200 });
