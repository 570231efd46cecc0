import { setTimeout as wait } from 'node:timers/promises';
import type { EventPk, SourceId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { assertRunning } from '#local/emulator/has-ended.ts';
import type { EventFeed } from './event-feed.ts';

const POLL_MS = 500;
/** The timeline index follows the table; look back this far so that a late entry is still seen. */
const LOOK_BACK_MS = 5_000;
const SHOWN_WHILE_OPEN = ['failed', 'deferred'];

/**
 * Calls `show` for every event of these sources, asked for at each look, that is received from now on, whenever it finishes or an attempt fails, until aborted. Throws
 * UserError when the local AWS ends meanwhile.
 */
export async function followEvents(
  aws: LocalAws,
  feed: EventFeed,
  sourceIds: () => readonly SourceId[],
  show: (item: EventItem) => void,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = Date.now();
  const shown = new Map<string, string>();
  const open = new Set<EventPk>();
  while (!signal.aborted) {
    try {
      const now = Date.now();
      const since = Math.max(startedAt, now - LOOK_BACK_MS);
      const fresh = await Promise.all(sourceIds().map(id => feed.receivedSince(id, since, now)));
      for (const pk of fresh.flat()) if (!shown.has(pk)) open.add(pk);
      for (const item of await feed.read([...open])) {
        const change = `${item.gen}.${item.status}.${item.attempts}`;
        const worthALine = isTerminal(item.status) || SHOWN_WHILE_OPEN.includes(item.status);
        if (worthALine && shown.get(item.pk) !== change) {
          shown.set(item.pk, change);
          show(item);
        }
        if (isTerminal(item.status)) open.delete(item.pk);
      }
    } catch (error) {
      // The local AWS is ending with us, or busy: the next look will tell.
      if (signal.aborted) return;
      if (!(error instanceof Error)) throw error;
      await assertRunning(aws);
    }
    await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
