/**
 * The endpoints of an application, kept in memory while its `endpointVersion` stays the same. The application is read
 * consistently each time, so an endpoint created before a publish is never missed. Where one endpoint changed since, only
 * that one is read again.
 */
import { allOf } from '#core/outbound/pages.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, EndpointItem } from '#core/outbound/protocol/items.ts';
import { endpointKey, endpointsRange } from '#core/outbound/protocol/keys.ts';
import { RecentlyUsed } from '#core/recently-used.ts';

/** Of all applications together, in the memory of one process; an application counts as one more. */
const KEPT_ENDPOINTS = 20_000;
const PAGE = 1_000;

type Changing = Pick<ApplicationItem, 'endpointVersion' | 'changedEndpoint'>;
/** Ids from `from` up to and without `to`; open where one is absent. */
interface EndpointPart {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
export type EndpointsOf = (app: AppId, application: Changing, part?: EndpointPart) => Promise<readonly EndpointItem[]>;

interface Known {
  readonly version: number;
  readonly endpoints: readonly EndpointItem[];
}

/**
 * All of them, tombstones among them, in the order of their ids; or a part. A part is read alone, unless all of them are
 * known: forty jobs of one message, each by itself, would read all of them forty times from one partition.
 */
export function endpointsOf(store: Pick<ItemStore, 'get' | 'query'>): EndpointsOf {
  const kept = new RecentlyUsed<AppId, Known>(KEPT_ENDPOINTS, ({ endpoints }) => endpoints.length + 1);
  return async (app, { endpointVersion, changedEndpoint }, { from, to } = {}) => {
    const isIn = ({ id }: EndpointItem): boolean => (from === undefined || id >= from) && (to === undefined || id < to);
    const known = kept.get(app);
    const isPart = from !== undefined || to !== undefined;
    if (known?.version === endpointVersion) return isPart ? known.endpoints.filter(isIn) : known.endpoints;
    // `to` is the first of the next part.
    if (isPart) return (await readAll(store, app, { from, to })).filter(isIn);
    // The version counts changes: exactly one since then was that of the endpoint that changed last.
    const isNext = known !== undefined && changedEndpoint !== undefined && known.version + 1 === endpointVersion;
    const endpoints = isNext
      ? withOne(known.endpoints, changedEndpoint, await store.get(endpointKey(app, changedEndpoint), 'consistent'))
      : await readAll(store, app);
    kept.set(app, { version: endpointVersion, endpoints });
    return endpoints;
  };
}

const readAll = (store: Pick<ItemStore, 'query'>, app: AppId, { from, to }: EndpointPart = {}) =>
  allOf<EndpointItem>(store, { ...endpointsRange(app, from, to), limit: PAGE });

/** The list with one endpoint as it is now; undefined: there is none any more. */
function withOne(
  endpoints: readonly EndpointItem[],
  id: EndpointId,
  now: EndpointItem | undefined,
): readonly EndpointItem[] {
  const before = endpoints.filter(each => each.id < id);
  const after = endpoints.filter(each => each.id > id);
  return [...before, ...(now === undefined ? [] : [now]), ...after];
}
