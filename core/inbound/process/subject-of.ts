import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { QUERY_HEADER, SUBJECT_HEADER } from '#core/inbound/protocol/kept-headers.ts';
import { RequestReader } from '#core/verification/request-reader.ts';

/**
 * The id of the thing an event is about, from the place its provider's spec names (`identity.ordering`). An item of a
 * request is JSON by itself; what the request around it said is kept beside it. Undefined where there is none.
 */
export function subjectOf(
  { itemPath }: Pick<EventItem, 'itemPath'>,
  { bytes, headers }: { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> },
  { spec, settings }: Pick<ResolvedSource, 'spec' | 'settings'>,
): string | undefined {
  const { ordering = [], document } = spec.identity;
  const isItem = itemPath !== undefined;
  const places = [ordering].flat().filter(place => !isItem || place.startsWith('json:'));
  const request = { body: bytes, headers, rawQuery: headers[QUERY_HEADER] ?? '' };
  const reader = new RequestReader(request, { settings }, isItem ? undefined : document);
  return headers[SUBJECT_HEADER] ?? places.map(place => reader.text(place)).find(text => text);
}
