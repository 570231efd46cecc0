/** The stacks of an environment that `holdfast prove` makes: what is there, and how all of it goes. */
import {
  type CloudFormationClient,
  DeleteStackCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import type { S3Client } from '@aws-sdk/client-s3';
import { DeleteQueueCommand, paginateListQueues, type SQSClient } from '@aws-sdk/client-sqs';
import { nameIn, type Place } from '#core/names.ts';
import { PROVE_TAG } from '#local/shell/workspace.ts';
import { emptyBodies } from '#local/stacks/empty-bodies.ts';
import { findStack } from '#local/stacks/find-stack.ts';
import type { FoundStack } from './guard.ts';

export interface StackClients {
  readonly cloudFormation: CloudFormationClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
}

/** In the order in which they can be deleted. */
const STACKS = ['edge', 'delivery', 'gateway', 'data'] as const;
export const probeQueue = (named: Place): string => nameIn(named, 'probe');

interface Found extends FoundStack {
  readonly outputs: ReadonlyMap<string, string>;
}

/** What is deployed of the environment, whole or half. */
export async function stacksOf(client: CloudFormationClient, named: Place): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const stack of STACKS) {
    const StackName = nameIn(named, stack);
    const one = await findStack(client, StackName);
    if (one === undefined || one.StackStatus === 'DELETE_COMPLETE') continue;
    const isOurs = (one.Tags ?? []).some(({ Key, Value }) => Key === PROVE_TAG && Value === 'yes');
    const outputs = new Map((one.Outputs ?? []).map(it => [it.OutputKey ?? '', it.OutputValue ?? '']));
    found.push({ name: StackName, isOurs, outputs });
  }
  return found;
}

/** Deletes the stacks that carry the tag, with all that they hold. A stack without it is left alone. */
export async function removeStacks(clients: StackClients, named: Place): Promise<readonly string[]> {
  const client = clients.cloudFormation;
  const ours = (await stacksOf(client, named)).filter(each => each.isOurs);
  for (const { name: StackName } of ours) {
    await emptyBodies(StackName, clients);
    await client.send(new DeleteStackCommand({ StackName }));
    await waitUntilStackDeleteComplete({ client, minDelay: 1, maxDelay: 10, maxWaitTime: 1_800 }, { StackName });
  }
  // A probe that was stopped leaves its queue.
  const prefix = probeQueue(named);
  for await (const { QueueUrls = [] } of paginateListQueues({ client: clients.sqs }, { QueueNamePrefix: prefix }))
    for (const QueueUrl of QueueUrls) await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
  return ours.map(each => each.name);
}
