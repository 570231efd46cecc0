/** How often a publish reads the endpoints of its application again, where applications publish in turn. */
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';

const ROUNDS = 3;
/** Endpoints of one page of a query. */
const PAGE = 1_000;

/** Queries of a publish once all applications have published: 0 where all of them are kept in memory. */
export async function endpointReads(applications: number, endpoints: number): Promise<number> {
  let queries = 0;
  const items = Array.from({ length: endpoints }, () => ({}) as EndpointItem);
  const query = async ({ cursor = '0' }: { readonly cursor?: string }) => {
    queries += 1;
    const from = Number(cursor);
    const more = from + PAGE < endpoints ? { cursor: String(from + PAGE) } : {};
    return { items: items.slice(from, from + PAGE), ...more };
  };
  const read = endpointsOf({ get: () => Promise.resolve(undefined), query } as unknown as Pick<
    ItemStore,
    'get' | 'query'
  >);
  for (let round = 0; round < ROUNDS; round++) {
    if (round === 1) queries = 0;
    for (let app = 0; app < applications; app++) await read(`app_${app}` as AppId, { endpointVersion: 1 });
  }
  return queries / ((ROUNDS - 1) * applications);
}
