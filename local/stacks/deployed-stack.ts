import {
  type CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import type { SynthesizedStack } from './assembly.ts';

/** A deployed stack: what it was made from, its outputs, and the physical id behind each logical id. */
export interface DeployedStack extends SynthesizedStack {
  readonly region: string;
  readonly accountId: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Values other stacks may import, by export name. */
  readonly exports: Readonly<Record<string, string>>;
  readonly physicalIds: Readonly<Record<string, string>>;
}

/** Reads back a stack that was deployed. Throws when it was not. */
export async function readDeployedStack(client: CloudFormationClient, stack: SynthesizedStack): Promise<DeployedStack> {
  const [described, resources] = await Promise.all([
    client.send(new DescribeStacksCommand({ StackName: stack.stackName })),
    client.send(new DescribeStackResourcesCommand({ StackName: stack.stackName })),
  ]);
  const found = described.Stacks?.[0];
  const [, , , region = '', accountId = ''] = (found?.StackId ?? '').split(':');
  const outputs = found?.Outputs ?? [];
  return {
    ...stack,
    region,
    accountId,
    outputs: Object.fromEntries(outputs.map(it => [it.OutputKey ?? '', it.OutputValue ?? ''])),
    exports: Object.fromEntries(outputs.flatMap(it => (it.ExportName ? [[it.ExportName, it.OutputValue ?? '']] : []))),
    physicalIds: Object.fromEntries(
      (resources.StackResources ?? []).map(it => [it.LogicalResourceId ?? '', it.PhysicalResourceId ?? '']),
    ),
  };
}
