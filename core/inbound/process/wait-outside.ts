/**
 * What becomes of a message while a dependency refuses: it waits outside the queue's places in flight, of which there are
 * 120,000 for all sources. It is sent again with a delay, as a retry is, and deleted. Bounds (I12): a message is sent again at
 * its first receive only, so that processes which die before the delete multiply nothing; a copy keeps the age of the first,
 * so that the waits end. test/proof/model/hot-source-model.ts has a bad variant for each of these rules.
 */
import { ask } from '#core/ask.ts';
import type { EpochMs } from '#core/glossary.ts';
import { encodeWorkMessage, groupOf, type WorkMessage } from '#core/inbound/protocol/work-message.ts';
import { ACK, type Disposal, type ProcessPorts, type ProcessRules, type QueueRecord, RETURN } from './process-ports.ts';

const FIRST_WAIT_SECONDS = 30;
const LONGEST_WAIT_SECONDS = 900;
/** 2 to this: no wait is longer than the longest. */
const DOUBLINGS = 5;

export interface Wait {
  /** It is not needed earlier. */
  readonly leastMs: number;
  /** After this nothing may be running any more. */
  readonly deadlineMs: EpochMs;
}

/** Out of time, the message is only left: it comes back when its visibility ends. */
export async function waitOutside(
  message: WorkMessage,
  record: QueueRecord,
  wait: Wait,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Disposal> {
  const leftMs = Math.max(0, wait.deadlineMs - ports.clock.now());
  const waited = await ports.timer.limit(leftMs, () => sendOrHide(message, record, wait.leastMs, ports, rules));
  return waited.kind === 'finished' ? waited.value : RETURN;
}

async function sendOrHide(
  message: WorkMessage,
  record: QueueRecord,
  leastMs: number,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Disposal> {
  const { clock, telemetry, queue, dead, receipts } = ports;
  const waitingSince = message.waitingSince ?? record.sentAt;
  const isSpent = clock.now() - waitingSince > rules.timings.messageMaxAgeMs;
  const asker = { telemetry, fields: { pk: message.pk } };
  if (isSpent && message.unrecorded) {
    const { waitingSince: _since, waits: _waits, ...asItWas } = message;
    // Saved before the queue would drop it: nothing else holds the event.
    const work = () => dead.send(encodeWorkMessage(asItWas), 'never_recorded');
    if ((await ask({ ...asker, stage: 'never_recorded' }, work)).ok) return ACK;
  }
  const waits = message.waits ?? 0;
  const delaySeconds = secondsOf(waits + record.receiveCount - 1, leastMs, ports.random.next());
  if (record.receiveCount === 1 && !isSpent) {
    const copy = encodeWorkMessage({ ...message, waitingSince, waits: waits + 1 });
    const work = () => queue.send(copy, { groupId: groupOf(message), delaySeconds });
    if ((await ask({ ...asker, stage: 'wait' }, work)).ok) return ACK;
  }
  await receipts.hide(record.receipt, delaySeconds);
  return RETURN;
}

/** Up to a quarter more than its step, so that those of one moment do not come back in one moment. */
function secondsOf(waits: number, leastMs: number, random: number): number {
  const step = FIRST_WAIT_SECONDS * 2 ** Math.min(DOUBLINGS, waits);
  return Math.min(LONGEST_WAIT_SECONDS, Math.ceil(Math.max(step, leastMs / 1_000) * (1 + random / 4)));
}
