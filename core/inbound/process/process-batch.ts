/**
 * A batch of messages from the queue. Records run in parallel, except those that came three times or more: one that
 * kills its process must not cost its neighbours their attempts, so they run one at a time after the others.
 */
import { processEvent } from './process-event.ts';
import type { ProcessPorts, ProcessRules, QueueRecord } from './process-ports.ts';

const SUSPECT_RECEIVES = 3;
/** News of changed structures may cost a batch so much, on the rare occasion that there are some. */
const FLUSH_MS = 2_000;

/** Receipts of the records that must come back. Everything else may be deleted. */
export async function processBatch(
  records: readonly QueueRecord[],
  remainingMs: number,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<readonly string[]> {
  const deadlineMs = ports.clock.now() + Math.min(remainingMs, rules.timings.processTimeoutMs);
  const returned: string[] = [];
  const run = async (record: QueueRecord): Promise<void> => {
    if (!(await processed(record, deadlineMs, ports, rules))) returned.push(record.receipt);
  };
  const suspects = records.filter(it => it.receiveCount >= SUSPECT_RECEIVES);
  await Promise.all(records.filter(it => it.receiveCount < SUSPECT_RECEIVES).map(run));
  for (const record of suspects) await run(record);
  const leftMs = deadlineMs - ports.clock.now();
  if (ports.shapes && leftMs > 0)
    await ports.timer.limit(Math.min(leftMs, FLUSH_MS), async () => ports.shapes?.flush());
  return returned;
}

/** One record's bug is its own: anything unforeseen leaves the message in the queue and is logged. */
async function processed(
  record: QueueRecord,
  deadlineMs: number,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<boolean> {
  try {
    return (await processEvent(record, deadlineMs, ports, rules)).kind === 'ack';
  } catch (error) {
    ports.telemetry.log('error', {
      stage: 'process',
      cause: 'internal_error',
      error: error instanceof Error ? error.message : String(error),
    });
    return false;
  }
}
