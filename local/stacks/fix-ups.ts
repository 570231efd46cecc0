import { DescribeTimeToLiveCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import type { DeployedStack } from './deployed-stack.ts';
import { resolveReferences } from './resolve-references.ts';

/**
 * What the local AWS drops from a template is set after the deployment, as the template says: a table's TTL, a queue's
 * redrive policy. What is already right is left alone. Answers one word per repair.
 */
export async function applyFixUps(clients: AwsClients, stacks: readonly DeployedStack[]): Promise<readonly string[]> {
  const repairs = stacks.flatMap(stack =>
    Object.entries(stack.template.Resources ?? {}).map(async ([id, resource]) => {
      const physicalId = stack.physicalIds[id];
      if (!physicalId) return undefined;
      const properties = resource.Properties ?? {};
      if (resource.Type === 'AWS::DynamoDB::Table' || resource.Type === 'AWS::DynamoDB::GlobalTable') {
        return await setTimeToLive(clients, physicalId, properties['TimeToLiveSpecification']);
      }
      if (resource.Type === 'AWS::SQS::Queue') {
        return await setRedrivePolicy(
          clients,
          physicalId,
          resolveReferences(properties['RedrivePolicy'], stack, stacks),
        );
      }
      return undefined;
    }),
  );
  return (await Promise.all(repairs)).filter(word => word !== undefined);
}

async function setTimeToLive(clients: AwsClients, table: string, wanted: unknown): Promise<string | undefined> {
  const { AttributeName: name, Enabled: enabled } = (wanted ?? {}) as { AttributeName?: string; Enabled?: boolean };
  if (!name || enabled === false) return undefined;
  const { TimeToLiveDescription: is } = await clients.dynamo.send(new DescribeTimeToLiveCommand({ TableName: table }));
  if (is?.TimeToLiveStatus === 'ENABLED' && is.AttributeName === name) return undefined;
  const TimeToLiveSpecification = { AttributeName: name, Enabled: true };
  await clients.dynamo.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification }));
  return 'TTL';
}

async function setRedrivePolicy(clients: AwsClients, queueUrl: string, wanted: unknown): Promise<string | undefined> {
  if (!wanted) return undefined;
  const read = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['RedrivePolicy'] });
  const { Attributes: attributes } = await clients.sqs.send(read);
  if (attributes?.RedrivePolicy) return undefined;
  const Attributes = { RedrivePolicy: JSON.stringify(wanted) };
  await clients.sqs.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes }));
  return 'redrive policy';
}
