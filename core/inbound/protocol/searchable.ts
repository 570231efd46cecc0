/**
 * Fields of bodies that a source declares searchable: one small item for each event and field, in a key space of its own,
 * so that an event is found by a number of one's own without an index and without reading a body. An item says that an
 * event had a value, and nothing else is read from it: one that is missing hides an event from this search, one that is
 * too many finds nothing (docs/decisions/a-searchable-field-is-an-item.md).
 */
import type { SourceId } from '#core/glossary.ts';
import type { Crypto } from '#core/ports.ts';
import { toHex, utf8 } from '#core/scan/bytes.ts';
import type { EventItem, SearchItem } from './event-item.ts';

/** `order: '/data/object/metadata/order_id'`: by name, where the value is in the body (JSON Pointer, RFC 6901). */
export type SearchableFields = Readonly<Record<string, string>>;

/** Longer values are no names of anything. */
const LONGEST_VALUE = 500;

/** The partition of a value. It holds a hash: values may be addresses of people, and of any length. */
export function searchKey(
  source: SourceId,
  field: string,
  value: string,
  { hash }: Pick<Crypto, 'hash'>,
): SearchItem['pk'] {
  return `_search#${source}#${field}#${toHex(hash('sha256', utf8(value)))}`;
}

/** What a body has at the declared places: texts, numbers and booleans. Anything else is not searchable. */
export function valuesIn(
  payload: unknown,
  fields: SearchableFields,
): readonly (readonly [field: string, value: string])[] {
  return Object.entries(fields).flatMap(([field, pointer]) => {
    const value = valueAt(payload, pointer);
    if (!['string', 'number', 'boolean'].includes(typeof value)) return [];
    const text = String(value);
    return text === '' || text.length > LONGEST_VALUE ? [] : [[field, text] as const];
  });
}

/** The items of an event. */
export function searchItems(
  { timelineAt, timelineHour }: Pick<EventItem, 'timelineAt' | 'timelineHour'>,
  values: ReturnType<typeof valuesIn>,
  expiresAt: number,
  crypto: Pick<Crypto, 'hash'>,
): readonly SearchItem[] {
  const source = timelineHour.slice(0, timelineHour.lastIndexOf('#')) as SourceId;
  return values.map(([field, value]) => ({ pk: searchKey(source, field, value, crypto), sk: timelineAt, expiresAt }));
}

function valueAt(payload: unknown, pointer: string): unknown {
  let value = payload;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
