/** From Lambda's SQS batch to the rules and back: the messages that must come back are named, the rest is deleted. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { processBatch } from '#core/inbound/process/process-batch.ts';
import type { ProcessPorts, ProcessRules } from '#core/inbound/process/process-ports.ts';

export interface RemainingTime {
  getRemainingTimeInMillis(): number;
}

export function handleBatch(ports: ProcessPorts, rules: ProcessRules) {
  return async (sqsEvent: SQSEvent, context: RemainingTime): Promise<SQSBatchResponse> => {
    const messageIds = new Map(sqsEvent.Records.map(it => [it.receiptHandle, it.messageId]));
    const records = sqsEvent.Records.map(it => ({
      body: it.body,
      receipt: it.receiptHandle,
      receiveCount: Number(it.attributes.ApproximateReceiveCount),
      sentAt: Number(it.attributes.SentTimestamp),
    }));
    const returned = await processBatch(records, context.getRemainingTimeInMillis(), ports, rules);
    return { batchItemFailures: returned.map(receipt => ({ itemIdentifier: messageIds.get(receipt) ?? '' })) };
  };
}
