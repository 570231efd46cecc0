/** From Lambda's batch of wake-ups to the rules and back: the wake-ups that must come again are named. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { drainBatch } from '#core/outbound/drain/drain-batch.ts';
import type { SessionTools } from '#core/outbound/drain/session-state.ts';

interface RemainingTime {
  getRemainingTimeInMillis(): number;
}

export function handleWakeUps(tools: SessionTools) {
  return async ({ Records }: SQSEvent, context: RemainingTime): Promise<SQSBatchResponse> => {
    const startedAt = tools.ports.clock.now();
    const invocation = { startedAt, deadline: startedAt + context.getRemainingTimeInMillis(), held: { bytes: 0 } };
    const messages = Records.map(({ messageId, body, receiptHandle }) => ({
      id: messageId,
      body,
      receipt: receiptHandle,
    }));
    const failed = await drainBatch(tools, messages, invocation);
    return { batchItemFailures: failed.map(itemIdentifier => ({ itemIdentifier })) };
  };
}
