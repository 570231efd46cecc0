import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { RequestReader } from '#core/verification/request-reader.ts';

/**
 * The id of the thing an event is about, from the place its provider's spec names (`identity.ordering`). Undefined where
 * there is none, or where it was in the part of a batch request that the event no longer carries.
 */
export function subjectOf(
  item: Pick<EventItem, 'itemPath'>,
  body: { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> },
  source: Pick<ResolvedSource, 'spec' | 'settings'>,
): string | undefined {
  const { ordering = [] } = source.spec.identity;
  const places = [ordering].flat().filter(place => item.itemPath === undefined || place.startsWith('json:'));
  if (places.length === 0) return undefined;
  const reader = new RequestReader({ body: body.bytes, headers: body.headers }, { settings: source.settings });
  return places.map(place => reader.text(place)).find(text => text);
}
