/** The newest events of one handler, read from the stores, so that the sweeper can say whether it only fails. */
import { given } from '#core/given.ts';
import type { EpochMs, EventPk } from '#core/glossary.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import { EVENTS_LOOKED_AT } from '#core/inbound/protocol/concerns.ts';
import { everyPage } from '#core/pages.ts';
import { HOUR_MS, toHour } from '#core/time.ts';
import { type OnlyFails, onlyFails } from './judge-handlers.ts';

/** As long as the attempts of an event go on by default, and a day. */
const LOOK_BACK_HOURS = 96;
/** Index pages that one handler may cost a run. */
const PAGES = 100;

interface Ports {
  readonly store: Pick<EventStore, 'timeline' | 'getMany'>;
  readonly now: EpochMs;
}

/** Undefined: the handler succeeded since, or none of its newest events failed. */
export async function readOnlyFails(
  source: string,
  eventType: string,
  { store, now }: Ports,
): Promise<OnlyFails | undefined> {
  const pks: EventPk[] = [];
  let pages = 0;
  for (let back = 0; back <= LOOK_BACK_HOURS && pks.length < EVENTS_LOOKED_AT && pages < PAGES; back++) {
    const hour = `${source}#${toHour(now - back * HOUR_MS)}`;
    const range = { newestFirst: true, limit: 200 };
    for await (const { items } of everyPage(cursor => store.timeline(hour, { ...range, ...given({ cursor }) }))) {
      pages += 1;
      pks.push(...items.filter(entry => entry.eventType === eventType).map(entry => entry.pk));
      if (pks.length >= EVENTS_LOOKED_AT || pages >= PAGES) break;
    }
  }
  return pks.length === 0 ? undefined : onlyFails(await store.getMany(pks.slice(0, EVENTS_LOOKED_AT)));
}
