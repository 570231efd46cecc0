import { type CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DeleteObjectsCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';

/**
 * Deletes what the buckets of a stack hold: CloudFormation deletes no bucket that holds anything. Answers how many objects
 * there were; none where the stack is gone. Throws the errors of the SDK.
 */
export async function emptyBodies(
  stackName: string,
  clients: { readonly cloudFormation: CloudFormationClient; readonly s3: S3Client },
): Promise<number> {
  let deleted = 0;
  for (const Bucket of await bucketsOf(stackName, clients.cloudFormation)) {
    for await (const { Contents = [] } of paginateListObjectsV2({ client: clients.s3 }, { Bucket })) {
      if (Contents.length === 0) continue;
      const Objects = Contents.map(({ Key }) => ({ Key }));
      const { Errors = [] } = await clients.s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      const [first] = Errors;
      if (first) throw new Error(`${Errors.length} objects of ${Bucket} stay, the first for ${first.Code}`);
      deleted += Contents.length;
    }
  }
  return deleted;
}

async function bucketsOf(StackName: string, client: CloudFormationClient): Promise<readonly string[]> {
  const buckets: string[] = [];
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
      for (const { ResourceType, ResourceStatus, PhysicalResourceId } of StackResourceSummaries) {
        if (ResourceType !== 'AWS::S3::Bucket' || ResourceStatus === 'DELETE_COMPLETE') continue;
        if (PhysicalResourceId !== undefined) buckets.push(PhysicalResourceId);
      }
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ValidationError')) throw error;
  }
  return buckets;
}
