/** One type of the catalogue as the API takes and answers it, free of what says nothing. */
import type { EventTypeItem } from '#core/outbound/protocol/items.ts';

/** `name`, and the body of `PUT /v1/event-types/{name}`. */
export interface CatalogueType extends Partial<Omit<EventTypeItem, 'name' | 'endsAt'>> {
  readonly name: string;
  /** ISO 8601. */
  readonly ends_at?: string;
}

const says = ([name, value]: readonly [string, unknown]): boolean => {
  if (name === 'deprecated') return value === true;
  if (name === 'earlier') return Array.isArray(value) && value.length > 0;
  return value !== undefined && value !== null;
};

/** Without nulls, and without `deprecated: false` and an empty list of earlier versions. */
export function tidied<T extends object>(given: T): T {
  const kept = Object.entries(given).filter(says);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === 'earlier' ? (value as object[]).map(tidied) : value]),
  ) as T;
}
