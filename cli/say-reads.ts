/** What a command says before it reads much: how much, and what that costs. */
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { PRICES } from '#operator/cost/prices.ts';
import { expectedReads, READS_UNSAID } from '#operator/events/expected-reads.ts';
import type { Run } from './run.ts';

/** `each`: read units of one event. `most`: no more events are read. Says nothing where it is little, or nobody can say. */
export async function sayReads(run: Run, filter: EventFilter, { each = 1, most = Number.POSITIVE_INFINITY } = {}) {
  const records = Math.min((await expectedReads(run, filter)) ?? 0, most);
  const units = records * each;
  if (units <= READS_UNSAID) return;
  const dollars = (units / 1e6) * PRICES.dynamoReadMillion.dollars;
  run.out.note(
    `Reads about ${records.toLocaleString('en')} events: ${units.toLocaleString('en')} read units, $${dollars.toFixed(6)}. Ctrl-C ends it`,
  );
}
