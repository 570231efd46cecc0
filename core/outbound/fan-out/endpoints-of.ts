/**
 * The endpoints of an application, kept in memory while its `endpointVersion` stays the same. The application is read
 * consistently each time, so an endpoint created before a publish is never missed.
 */
import type { ItemStore } from '#core/outbound/ports.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, EndpointItem } from '#core/outbound/protocol/items.ts';
import { endpointsRange } from '#core/outbound/protocol/keys.ts';

/** Of all applications together, in the memory of one process. */
const KEPT_ENDPOINTS = 20_000;
const KEPT_APPLICATIONS = 500;
const PAGE = 1_000;

export type EndpointsOf = (
  app: AppId,
  application: Pick<ApplicationItem, 'endpointVersion'>,
) => Promise<readonly EndpointItem[]>;

/** All of them, tombstones among them, in the order of their ids. */
export function endpointsOf(store: Pick<ItemStore, 'query'>): EndpointsOf {
  const kept = new Map<AppId, { readonly version: number; readonly endpoints: readonly EndpointItem[] }>();
  return async (app, { endpointVersion }) => {
    const known = kept.get(app);
    if (known?.version === endpointVersion) return known.endpoints;
    const endpoints: EndpointItem[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.query({
        ...endpointsRange(app),
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      endpoints.push(...page.items);
      cursor = page.cursor;
    } while (cursor !== undefined);
    kept.delete(app);
    const held = [...kept.values()].reduce((sum, each) => sum + each.endpoints.length, 0);
    if (kept.size >= KEPT_APPLICATIONS || held + endpoints.length > KEPT_ENDPOINTS) kept.clear();
    kept.set(app, { version: endpointVersion, endpoints });
    return endpoints;
  };
}
