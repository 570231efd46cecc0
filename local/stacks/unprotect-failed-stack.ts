import { type CloudFormationClient, UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';
import { findStack } from './find-stack.ts';

/** Of a stack that never was: CloudFormation lets it be deleted and nothing else. */
const NEVER_MADE = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];

/**
 * Takes the protection off a stack whose first deploy failed. The CDK protects a stack before it makes it, and deletes
 * what is left of a failed one before it tries again: CloudFormation would refuse that. True where it was taken off.
 */
export async function unprotectFailedStack(client: CloudFormationClient, StackName: string): Promise<boolean> {
  const stack = await findStack(client, StackName);
  if (!stack?.EnableTerminationProtection || !NEVER_MADE.includes(stack.StackStatus ?? '')) return false;
  await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
  return true;
}
