import { splitEventPk } from '#core/glossary.ts';
import { decodeWorkMessage } from '#core/inbound/protocol/work-message.ts';
import { errorPattern } from '#core/inbound/search/error-pattern.ts';
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { Gateway } from '#operator/gateway.ts';

export interface DeadMessage {
  readonly body: string;
  readonly receipt: string;
  readonly groupId: string;
  readonly wanted: boolean;
}

const EMPTY_ANSWERS = 3;
/** Longer than the visibility timeout of the dead-letter queue. */
const HIDDEN_WAIT_MS = MINUTE_MS;
const POLL_MS = 2_000;

/**
 * The messages of the dead-letter queue, each once, until it answers empty a few times (a queue may do so before it is).
 * `redrive` wants those whose event is still dead of this very death, and those that carry an event that was never
 * recorded: nothing else brings it back. `purge` wants settled ones and those that are not ours,
 * and with `open` those of `redrive` as well. A filter by source, cause or error leaves alone what is not ours.
 */
export async function* movableMessages(
  gateway: Pick<Gateway, 'dead' | 'store' | 'deployment' | 'gauge' | 'timer'>,
  verb: 'redrive' | 'purge',
  filter: Pick<EventFilter, 'sources' | 'cause' | 'error'>,
  open: boolean,
): AsyncGenerator<DeadMessage> {
  const { cause: wantedCause, error } = filter;
  const narrow =
    wantedCause !== undefined || error !== undefined || filter.sources.length < gateway.deployment.sources.length;
  const seen = new Set<string>();
  let waitedMs = 0;
  for (let empty = 0; empty < EMPTY_ANSWERS; ) {
    const messages = await gateway.dead.receive(10);
    if (
      messages.length === 0 &&
      seen.size === 0 &&
      waitedMs < HIDDEN_WAIT_MS &&
      (await gateway.gauge.dead()).hidden > 0
    ) {
      // Somebody, perhaps a dry run, looked at them a moment ago.
      await gateway.timer.sleep(POLL_MS);
      waitedMs += POLL_MS;
      continue;
    }
    const fresh = messages.filter(message => !seen.has(message.body));
    empty = fresh.length === 0 ? empty + 1 : 0;
    for (const { body, receipt } of fresh) {
      seen.add(body);
      const decoded = decodeWorkMessage(body);
      if (decoded.kind === 'unknown') {
        yield { body, receipt, groupId: 'unknown', wanted: verb === 'purge' && !narrow };
        continue;
      }
      const { pk, deadId, cause, payload, ref } = decoded.message;
      const { sourceId } = splitEventPk(pk);
      const near =
        (!narrow || filter.sources.includes(sourceId)) && (wantedCause === undefined || wantedCause === cause);
      const item = near ? await gateway.store.get(pk) : undefined;
      const meant = near && (error === undefined || errorPattern(item?.lastError ?? '') === error);
      const stillDead = item?.status === 'dead_letter' && item.deadId === deadId;
      // A message without a record may be all that is left of its event.
      const isLast = item === undefined && (payload !== undefined || ref !== undefined);
      const wanted = meant && (verb === 'redrive' ? stillDead || isLast : item !== undefined && (open || !stillDead));
      yield { body, receipt, groupId: `replay#${sourceId}`, wanted };
    }
  }
}
