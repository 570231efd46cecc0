/** A look that reads much is not begun before the person was told, as a command tells it. */
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { muchToRead } from '#operator/events/expected-reads.ts';
import type { ReadsFirst } from '../wire.ts';
import type { Asked } from './route.ts';

/** The answer to give instead. Undefined: it reads little, or who asks was told: before this page, or before the first. */
export async function readsFirst(
  { operator, query }: Asked,
  filter: EventFilter,
  options: { readonly each?: number; readonly most?: number } = {},
): Promise<ReadsFirst | undefined> {
  if (query.get('read') === 'yes' || query.has('cursor')) return undefined;
  const reads = await muchToRead(operator, filter, options);
  return reads && { reads };
}
