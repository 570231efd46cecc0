import { type CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import type { StackTemplate } from './assembly.ts';

const TABLES = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'];

/**
 * Tables that the deployed stack of the gateway holds and the new template of the data stack makes: that deploy would give
 * the handlers a new, empty table, and leave the rows where nobody looks. Their logical ids. `newDataTemplate` is asked only
 * when the deployed stack holds a table.
 */
export async function movedTables(
  client: CloudFormationClient,
  gatewayStack: string,
  newDataTemplate: () => Promise<StackTemplate>,
): Promise<readonly string[]> {
  const held = (await resourcesOf(client, gatewayStack)).filter(each => TABLES.includes(each.type));
  if (held.length === 0) return [];
  const { Resources: made = {} } = await newDataTemplate();
  return held.map(each => each.id).filter(id => TABLES.includes(made[id]?.Type ?? ''));
}

async function resourcesOf(client: CloudFormationClient, StackName: string): Promise<{ id: string; type: string }[]> {
  try {
    const { StackResources: found = [] } = await client.send(new DescribeStackResourcesCommand({ StackName }));
    return found.map(each => ({ id: each.LogicalResourceId ?? '', type: each.ResourceType ?? '' }));
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError') return [];
    throw error;
  }
}
