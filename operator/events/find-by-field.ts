/** Events by a field that their source declares (`searchable`): no body is read, nothing is scanned. */
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { EventKey } from '#core/glossary.ts';
import { type SourceId, toEventPk } from '#core/glossary.ts';
import { searchKey } from '#core/inbound/protocol/searchable.ts';
import { type EventFilter, matchesFilter } from '#core/inbound/search/event-filter.ts';
import { meant } from '#core/problem.ts';
import { groupsOf } from '#core/side-by-side.ts';
import type { Operator } from '#operator/operator.ts';
import { usageError } from '#operator/operator-error.ts';
import type { EventList, ListRequest } from './list-events.ts';

export interface Where {
  readonly field: string;
  readonly value: string;
}

/** The window of such a search, where a person gives none: it costs the same for a day and for a year. */
export const WHERE_SINCE = '365d';
const READ_AT_ONCE = 100;

/** Which sources declare which fields. */
export function searchableFields(operator: Operator): ReadonlyMap<string, readonly SourceId[]> {
  const fields = new Map<string, SourceId[]>();
  for (const { source } of operator.deployment.sources)
    for (const name of Object.keys(source.searchable ?? {})) fields.set(name, [...(fields.get(name) ?? []), source.id]);
  return fields;
}

/** `order=1234`. Throws OperatorError (usage) where no source declares the field. */
export function readWhere(operator: Operator, text: string): Where {
  const at = text.indexOf('=');
  const [field, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at < 1 || value === '') throw usageError(`where: "${text.slice(0, 60)}"`, 'a field and its value', 'order=1234');
  const declared = [...searchableFields(operator).keys()];
  if (declared.includes(field)) return { field, value };
  throw usageError(
    `where: no source declares "${field.slice(0, 40)}"`,
    declared.length === 0 ? 'fields that a source declares as `searchable` in gateway.config.ts' : declared.join(', '),
    meant(field, declared, 'declare it, or look into the bodies: holdfast events grep'),
  );
}

/** Newest first. What arrived before the field was declared is not found: its bodies are (`events grep`). */
export async function listWhere(
  operator: Operator,
  filter: EventFilter,
  { field, value }: Where,
  { limit, cursor }: Pick<ListRequest, 'limit' | 'cursor'>,
): Promise<EventList> {
  const { search, store } = await operator.gateway();
  const sources = (searchableFields(operator).get(field) ?? []).filter(it => filter.sources.includes(it));
  const range = {
    from: timeKey(filter.since),
    before: cursor === undefined ? timeKey(filter.until) : readCursor(cursor),
    limit: limit + 1,
  };
  const found = await Promise.all(
    sources.map(async source => {
      const items = await search.find(searchKey(source, field, value, nodeCrypto), range);
      return items.map(({ sk }) => ({ sk, pk: toEventPk(source, sk.slice(sk.indexOf('#') + 1) as EventKey) }));
    }),
  );
  const all = found.flat().sort((a, b) => (a.sk < b.sk ? 1 : -1));
  const page = all.slice(0, limit);
  const records = [];
  for (const some of groupsOf(page, READ_AT_ONCE)) records.push(...(await store.getMany(some.map(({ pk }) => pk))));
  const last = all.length > limit ? page.at(-1)?.sk : undefined;
  return {
    items: records.filter(item => matchesFilter(item, filter)).sort((a, b) => (a.timelineAt < b.timelineAt ? 1 : -1)),
    cursor: last,
    lookedTo: last === undefined ? filter.since : Number(last.slice(0, 13)),
  };
}

function timeKey(at: number): string {
  return String(Math.max(0, at)).padStart(13, '0');
}

function readCursor(text: string): string {
  if (/^\d{13}#[\x21-\x7e]{1,256}$/.test(text)) return text;
  throw usageError(
    `cursor: "${text.slice(0, 40)}"`,
    'the cursor of the previous page, for the same field',
    'leave it out to begin again',
  );
}
