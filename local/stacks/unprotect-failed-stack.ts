import {
  type CloudFormationClient,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';

/** Of a stack that never was: CloudFormation lets it be deleted and nothing else. */
const NEVER_MADE = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];

/**
 * Takes the protection off a stack whose first deploy failed. The CDK protects a stack before it makes it, and deletes
 * what is left of a failed one before it tries again: CloudFormation would refuse that. True where it was taken off.
 */
export async function unprotectFailedStack(client: CloudFormationClient, StackName: string): Promise<boolean> {
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    if (!stack?.EnableTerminationProtection || !NEVER_MADE.includes(stack.StackStatus ?? '')) return false;
    await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError') return false;
    throw error;
  }
}
