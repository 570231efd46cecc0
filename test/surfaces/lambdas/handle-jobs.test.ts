/** What a batch of jobs answers its queue: which messages come again, and what goes to the dead-letter queue. */
import type { SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { handleJobs } from '#lambdas/fan-out/handle-jobs.ts';

const REPLAY = (job: string): string => JSON.stringify({ v: 1, replay: job });
const NO_JOB = '{"v":1,"msg":7}';

function jobs(dead: (body: string, cause: string) => Promise<void>) {
  const telemetry = new MemoryTelemetry();
  const runReplay = async (job: string): Promise<void> => {
    if (job === 'job_bad') throw new Error('its application was not read');
  };
  const handle = handleJobs({ telemetry, runReplay, dead: { send: dead } } as never, { retentionMs: 0 });
  const answer = async (...bodies: readonly string[]) => {
    const Records = bodies.map((body, at) => ({ messageId: `m${at}`, body }));
    const { batchItemFailures } = await handle({ Records } as unknown as SQSEvent);
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return { answer, telemetry };
}

it('a job that fails comes again, and the log says why; the others of its batch are done', async () => {
  const { answer, telemetry } = jobs(async () => undefined);
  expect(await answer(REPLAY('job_a'), REPLAY('job_bad'), REPLAY('job_c'))).toEqual(['m1']);
  expect(telemetry.lines).toEqual([
    { level: 'error', line: { stage: 'fan-out', error: 'its application was not read' } },
  ]);
});

it('what is no job goes to the dead-letter queue whole, and comes again only while that does not take it', async () => {
  const dead: unknown[] = [];
  const taken = jobs(async (...it) => void dead.push(it));
  expect(await taken.answer(NO_JOB, REPLAY('job_a'))).toEqual([]);
  expect(dead).toEqual([[NO_JOB, 'unknown_message']]);
  expect(taken.telemetry.lines.map(({ line }) => line['cause'])).toEqual(['unknown_message']);
  const refused = jobs(() => Promise.reject(new Error('SQS did not answer')));
  expect(await refused.answer(REPLAY('job_a'), NO_JOB)).toEqual(['m1']);
});
