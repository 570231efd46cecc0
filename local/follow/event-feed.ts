import type { EventPk, SourceId } from '#core/glossary.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { HOUR_MS } from '#core/time.ts';

const BATCH = 100;

/** Reads the events table the way the status API and the CLI do: by key, and by hour of arrival. Never writes. */
export class EventFeed {
  readonly #store: Pick<EventStore, 'getMany' | 'timeline'>;

  constructor(store: Pick<EventStore, 'getMany' | 'timeline'>) {
    this.#store = store;
  }

  /** The state items behind these keys, read consistently; missing ones are left out. */
  async read(pks: readonly EventPk[]): Promise<readonly EventItem[]> {
    const found: EventItem[] = [];
    for (let from = 0; from < pks.length; from += BATCH) {
      found.push(...(await this.#store.getMany(pks.slice(from, from + BATCH))));
    }
    return found;
  }

  /** Keys of a source's events received since then (epoch ms), at most two hours back. */
  async receivedSince(sourceId: SourceId, since: number, now: number): Promise<readonly EventPk[]> {
    const hours = [
      ...new Set([Math.max(since, now - HOUR_MS), now].map(at => new Date(at).toISOString().slice(0, 13))),
    ];
    const from = String(since).padStart(13, '0');
    const pages = await Promise.all(hours.map(hour => this.#hour(`${sourceId}#${hour}`, from)));
    return pages.flat();
  }

  async #hour(partition: string, from: string): Promise<readonly EventPk[]> {
    const pks: EventPk[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#store.timeline(partition, { from, newestFirst: false, ...(cursor && { cursor }) });
      pks.push(...page.items.map(item => item.pk));
      cursor = page.cursor;
    } while (cursor !== undefined);
    return pks;
  }
}
