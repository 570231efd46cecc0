import { DescribeTimeToLiveCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { CreateEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import type { DeployedStack } from './deployed-stack.ts';
import { resolveReferences } from './resolve-references.ts';

/**
 * What the local AWS drops from a template is set after the deployment, as the template says: a table's TTL, a queue's
 * redrive policy. What is already right is left alone. And what a person does by hand in an account, because of a template:
 * the sender that a role may send mails as is verified. Answers one word per repair.
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
      if (resource.Type === 'AWS::IAM::Policy') return await verifySender(clients, properties['PolicyDocument']);
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

async function verifySender({ ses }: AwsClients, document: unknown): Promise<string | undefined> {
  const sender = /"ses:FromAddress":"([^"]+)"/.exec(JSON.stringify(document))?.[1];
  if (sender === undefined) return undefined;
  await ses.send(new CreateEmailIdentityCommand({ EmailIdentity: sender }));
  return 'the verified sender of mails';
}
