/** What a command says before it reads much: how much, and what that costs. */
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import type { ExpectedEndpointReads } from '#operator/customers/deliveries.ts';
import { muchToRead } from '#operator/events/expected-reads.ts';
import type { Run } from './run.ts';

/** Says nothing where it is little, or nobody can say. */
export async function sayReads(run: Run, filter: EventFilter, options: { each?: number; most?: number } = {}) {
  const reads = await muchToRead(run, filter, options);
  if (reads === undefined) return;
  const { events, units, dollars } = reads;
  run.out.note(
    `Reads about ${events.toLocaleString('en')} events: ${units.toLocaleString('en')} read units, $${dollars.toFixed(6)}. Ctrl-C ends it`,
  );
}

/** Before a look at every endpoint. */
export function sayEndpointReads(run: Run, { units, ofFirst }: ExpectedEndpointReads): void {
  const of = ofFirst === undefined ? '' : ` for the first ${ofFirst} of them`;
  run.out.note(`Reads every endpoint of every application: about ${units} read units${of}. Ctrl-C ends it`);
}
