import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { LocalEndpoint } from './running-aws.ts';

export interface AwsClients {
  readonly cloudFormation: CloudFormationClient;
  readonly cloudWatch: CloudWatchClient;
  readonly logs: CloudWatchLogsClient;
  readonly dynamo: DynamoDBClient;
  readonly secrets: SecretsManagerClient;
  readonly ses: SESv2Client;
  readonly sqs: SQSClient;
}

/** Clients of the local AWS. They keep no process alive. */
export function createAwsClients({ endpoint, region, credentials }: LocalEndpoint): AwsClients {
  return clientsWith({ endpoint, region, credentials, maxAttempts: 3 });
}

/** Without an endpoint: of an account. */
export function clientsWith(settings: Partial<LocalEndpoint> & { readonly maxAttempts: number }): AwsClients {
  return {
    cloudFormation: new CloudFormationClient(settings),
    cloudWatch: new CloudWatchClient(settings),
    logs: new CloudWatchLogsClient(settings),
    dynamo: new DynamoDBClient(settings),
    secrets: new SecretsManagerClient(settings),
    ses: new SESv2Client(settings),
    // Queue addresses carry a host name of the emulator's choice; the endpoint decides.
    sqs: new SQSClient({ ...settings, ...(settings.endpoint && { useQueueUrlAsEndpoint: false }) }),
  };
}
