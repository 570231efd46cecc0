import { askOrSkip } from '#core/ask.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { expiryAfter } from '#core/inbound/protocol/event-writes.ts';
import { searchItems, valuesIn } from '#core/inbound/protocol/searchable.ts';
import type { ProcessPorts } from './process-ports.ts';

/** An attempt waits no longer for it. */
const LIMIT_MS = 1_000;

export interface Noted {
  readonly item: EventItem;
  readonly source: ResolvedSource | undefined;
  readonly payload: unknown;
  /** How long the items live: as long as the record may. */
  readonly days: number;
}

/**
 * Makes the event findable by the fields that its source declares: after its claim, beside its handler, at every attempt,
 * as a dead letter must be found, too. The same items each time. Never throws: the event has nothing to do with it.
 */
export async function noteSearchable({ item, source, payload, days }: Noted, ports: ProcessPorts): Promise<void> {
  const { search, telemetry, timer, clock, crypto } = ports;
  const values = source?.searchable === undefined ? [] : valuesIn(payload, source.searchable);
  if (search === undefined || values.length === 0) return;
  const items = searchItems(item, values, expiryAfter(clock.now(), days), crypto);
  const asker = { telemetry, stage: 'searchable', fields: { pk: item.pk } };
  const done = await askOrSkip(asker, () =>
    timer.limit(LIMIT_MS, async () => {
      await Promise.all(items.map(each => search.put(each)));
    }),
  );
  if (done?.kind === 'timed_out') telemetry.log('warn', { stage: 'searchable', pk: item.pk, cause: 'timeout' });
}
