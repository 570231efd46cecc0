/** The commands of docs/operate/recover.md as calls, against the local AWS. Its copies are of the present: it has no past. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateBackupCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableFromBackupCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteFunctionConcurrencyCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { outputOf } from '#local/stacks/gateway-address.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';

/** Steps 1 and 7: nothing takes from the queue, and nothing sweeps; and back. */
export async function runProcessing({ aws, stacks }: GatewayUnderTest, running: boolean): Promise<void> {
  const lambda = new LambdaClient({ endpoint: aws.endpoint, region: aws.region, credentials: aws.credentials });
  const FunctionName = outputOf(stacks, 'ProcessFunction');
  const { EventSourceMappings: mappings = [] } = await lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName }),
  );
  for (const { UUID } of mappings) await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: running }));
  const sweep = { FunctionName: outputOf(stacks, 'SweepFunction') };
  if (running) await lambda.send(new DeleteFunctionConcurrencyCommand(sweep));
  else await lambda.send(new PutFunctionConcurrencyCommand({ ...sweep, ReservedConcurrentExecutions: 0 }));
}

/** Step 4, first half: a copy is there and the name is free. The answer is the backup. */
export async function takeAway(dynamo: DynamoDBClient, TableName: string): Promise<string> {
  const { BackupDetails } = await dynamo.send(new CreateBackupCommand({ TableName, BackupName: 'swap' }));
  await dynamo.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
  await dynamo.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists({ client: dynamo, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, { TableName });
  return BackupDetails?.BackupArn ?? '';
}

/** Step 4, second half, and step 5. */
export async function putBack(dynamo: DynamoDBClient, TableName: string, BackupArn: string): Promise<void> {
  await dynamo.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName: TableName }));
  while ((await dynamo.send(new DescribeTableCommand({ TableName }))).Table?.TableStatus !== 'ACTIVE') await wait(200);
  const TimeToLiveSpecification = { Enabled: true, AttributeName: 'expiresAt' };
  await dynamo.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await dynamo.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  await dynamo.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
}
