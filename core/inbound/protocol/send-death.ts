/** The second half of a death, for whoever finds it open: the processor that wrote it, a later copy, the sweeper. */

import type { EventStore } from '#core/inbound/ports.ts';
import type { Clock, DeadQueue } from '#core/ports.ts';
import type { EventItem } from './event-item.ts';
import { type Death, deathDone, type WriteRules } from './event-writes.ts';
import { encodeWorkMessage, referenceTo } from './work-message.ts';

interface DeathPorts {
  readonly store: Pick<EventStore, 'update'>;
  readonly dead: Pick<DeadQueue, 'send'>;
  readonly clock: Clock;
}

/** Sends the DLQ message of a dead event, then notes that nothing is owed any more. */
export async function sendDeath(
  item: EventItem,
  { deadId, cause }: Pick<Death, 'deadId' | 'cause'>,
  ports: DeathPorts,
  rules: WriteRules,
): Promise<void> {
  await ports.dead.send(encodeWorkMessage({ ...referenceTo(item), again: true, deadId, cause }), cause);
  await ports.store.update(deathDone(item.pk, deadId, ports.clock.now(), rules));
}
