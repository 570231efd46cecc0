/**
 * Removes from the DLQ the messages whose death is over: replayed or revived, so that the depth alarm goes back to OK.
 * Everything else there (not ours, of an unknown version, natively redriven, no record) stays until a person acts (I7).
 */
import type { EpochMs } from '#core/glossary.ts';
import { decodeWorkMessage } from '#core/inbound/protocol/work-message.ts';
import type { SweepPorts } from './sweep-ports.ts';

const BATCH = 10;
/** Messages that stay are hidden for a moment, so one pass meets each of them once. */
const MAX_LOOKS = 200;

export async function drainDeadQueue(
  until: EpochMs,
  ports: Pick<SweepPorts, 'store' | 'dead' | 'clock' | 'telemetry'>,
): Promise<number> {
  let drained = 0;
  for (let look = 0; look < MAX_LOOKS && ports.clock.now() < until; look++) {
    const messages = await ports.dead.receive(BATCH);
    if (messages.length === 0) break;
    for (const { body, receipt } of messages) {
      const decoded = decodeWorkMessage(body);
      if (decoded.kind === 'unknown' || decoded.message.deadId === undefined) continue;
      const { pk, gen, deadId } = decoded.message;
      const item = await ports.store.get(pk);
      // A record older than the message comes from a restored table: the message may be all that is left of the death.
      if (!item || item.gen < gen || (item.status === 'dead_letter' && item.deadId === deadId)) continue;
      await ports.dead.delete(receipt);
      drained += 1;
    }
  }
  if (drained > 0) ports.telemetry.log('info', { stage: 'drain', drained });
  return drained;
}
