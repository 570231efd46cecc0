/** From Lambda's batch of jobs to the rules and back. What is no job goes to the dead-letter queue whole. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type FanOutPorts, type FanOutRules, fanOut } from '#core/outbound/fan-out/fan-out.ts';
import { parseJob } from '#core/outbound/publish/queue-messages.ts';
import type { DeadQueue } from '#core/ports.ts';

const NO_JOB = 'a message of the queue is no job; it goes to the dead-letter queue';

export function handleJobs(ports: FanOutPorts & { readonly dead: Pick<DeadQueue, 'send'> }, rules: FanOutRules) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const failed = new Set<string>();
    const read = Records.map(({ messageId, body }) => ({ id: messageId, body, job: parseJob(body) }));
    for (const { id, body } of read.filter(({ job }) => job === undefined)) {
      ports.telemetry.log('error', { stage: 'fan-out', cause: 'unknown_message', error: NO_JOB });
      await ports.dead.send(body, 'unknown_message').catch(() => failed.add(id));
    }
    const batch = read.flatMap(({ id, job }) => (job === undefined ? [] : [{ id, job }]));
    for (const [id, error] of await fanOut(ports, rules, batch)) {
      failed.add(id);
      const told = error instanceof Error ? error.message : String(error);
      ports.telemetry.log('error', { stage: 'fan-out', error: told });
    }
    return { batchItemFailures: [...failed].map(itemIdentifier => ({ itemIdentifier })) };
  };
}
