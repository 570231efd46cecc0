import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { DependencyError } from '#core/errors.ts';
import { groupsOf } from '#core/side-by-side.ts';
import { sent } from '../aws/to-dependency-error.ts';

export interface BatchEntry {
  readonly MessageBody: string;
  readonly DelaySeconds?: number;
  readonly MessageGroupId?: string;
}

/** SQS takes ten messages a call; ours are far below its limit of bytes. */
const PER_CALL = 10;
const TRIES = 3;

/** Sends all; entries that the service refused are sent again. Throws DependencyError unless every one was accepted. */
export async function sendBatch(client: SQSClient, queueUrl: string, entries: readonly BatchEntry[]): Promise<void> {
  await Promise.all(groupsOf(entries, PER_CALL).map(part => sendTen(client, queueUrl, part)));
}

async function sendTen(client: SQSClient, queueUrl: string, entries: readonly BatchEntry[]): Promise<void> {
  let left = entries.map((entry, at) => ({ Id: String(at), ...entry }));
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > TRIES) {
      throw new DependencyError('sqs', `SendMessageBatch refused ${left.length} messages ${TRIES} times`);
    }
    const command = new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: left });
    const { Failed = [] } = await sent('sqs', 'SendMessageBatch', () => client.send(command));
    const failed = new Set(Failed.map(({ Id }) => Id));
    left = left.filter(({ Id }) => failed.has(Id));
  }
}
