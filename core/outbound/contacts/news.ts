/** What happened to the endpoints of an application within a span of time that its contacts are told of. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { pagesOf } from '#core/outbound/pages.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, EndpointItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { deadRange, endpointsRange, runtimeKey, type Span } from '#core/outbound/protocol/keys.ts';
import { pageOf, withoutQuery } from '#core/outbound/tend/operational-events.ts';
import { DAY_MS, HOUR_MS, toIso } from '#core/time.ts';
import { addressWords } from '#core/words.ts';

/** Endpoint and runtime of those that may have something to tell. */
export type State = readonly { readonly endpoint: EndpointItem; readonly runtime: RuntimeItem }[];

/** As it is told to a webhook. */
interface Named {
  readonly endpoint: EndpointId;
  readonly endpoint_uid?: string;
  readonly url: string;
  readonly link?: string;
}
export interface News {
  readonly failing: readonly (Named & { readonly since: string })[];
  readonly disabled: readonly (Named & { readonly since: string; readonly reason?: string })[];
  /** Deliveries that died on these days (UTC) and are dead still; only where a day is over. */
  readonly dead?: {
    readonly since: string;
    readonly until: string;
    readonly count: number;
    /** Of some endpoint more died than are counted. */
    readonly exact: boolean;
    readonly endpoints: readonly (Named & { readonly count: number })[];
  };
  /** Endpoints that are left out. */
  readonly more: number;
}

/** An endpoint that fails is told of after this. */
const FAILING_MS = HOUR_MS;
/** Endpoints of each list. */
const MOST = 20;
/** Deaths that are counted of one endpoint. */
const COUNTED = 1_000;
const PAGE = 250;

/** Reads may lag: what happened within the last minute is left to the next look. */
export async function stateOf(store: Pick<ItemStore, 'query' | 'getMany'>, app: ApplicationItem['id']): Promise<State> {
  const found: State[number][] = [];
  for await (const page of pagesOf(store, { ...endpointsRange(app), limit: PAGE })) {
    const alive = page.filter(({ deletedAt }) => deletedAt === undefined);
    const runtimes = await store.getMany(
      alive.map(({ id }) => runtimeKey(id)),
      'eventual',
    );
    for (const [at, endpoint] of alive.entries()) {
      const runtime = runtimes[at];
      const hasNews =
        runtime && (runtime.gate === 'disabled' || runtime.failingSince !== undefined || runtime.dead > 0);
      if (hasNews) found.push({ endpoint, runtime });
    }
  }
  return found;
}

/** Of what happened behind `span.from`, up to `span.to`. Undefined: nothing to tell. */
export async function newsOf(
  store: Pick<ItemStore, 'query'>,
  state: State,
  span: Span,
  told: { readonly application: Pick<ApplicationItem, 'uid'>; readonly pageUrl: string | undefined },
): Promise<News | undefined> {
  const isIn = (at: EpochMs | undefined): at is EpochMs => at !== undefined && at > span.from && at <= span.to;
  const named = (endpoint: EndpointItem): Named => ({
    endpoint: endpoint.id,
    ...given({ endpoint_uid: endpoint.uid }),
    url: endpoint.url === '' ? addressWords(null) : withoutQuery(endpoint),
    ...given({ link: pageOf(told.pageUrl, told.application, endpoint) }),
  });
  const failing = state.flatMap(({ endpoint, runtime: { gate, failingSince } }) =>
    gate === 'open' && failingSince !== undefined && isIn(failingSince + FAILING_MS)
      ? [{ ...named(endpoint), since: toIso(failingSince) }]
      : [],
  );
  // Whoever closed it themselves knows. An operator's reason is not theirs to read.
  const disabled = state.flatMap(({ endpoint, runtime: { gate, gateBy, gateWhy, gateSince } }) =>
    gate === 'disabled' && gateBy !== 'customer' && isIn(gateSince)
      ? [
          {
            ...named(endpoint),
            since: toIso(gateSince),
            ...given({ reason: gateBy === 'system' ? gateWhy : undefined }),
          },
        ]
      : [],
  );
  const dead = await deadOf(store, state, span, named);
  if (failing.length + disabled.length === 0 && dead === undefined) return undefined;
  const lists = [failing, disabled, dead?.endpoints ?? []];
  const more = lists.reduce((sum, list) => sum + Math.max(0, list.length - MOST), 0);
  return {
    failing: failing.slice(0, MOST),
    disabled: disabled.slice(0, MOST),
    ...(dead === undefined ? {} : { dead: { ...dead, endpoints: dead.endpoints.slice(0, MOST) } }),
    more,
  };
}

const dayStart = (at: EpochMs): EpochMs => Math.floor(at / DAY_MS) * DAY_MS;
/** Whether a day (UTC) ended within it. */
export const isDayOver = ({ from, to }: Span): boolean => dayStart(from) < dayStart(to);

async function deadOf(
  store: Pick<ItemStore, 'query'>,
  state: State,
  span: Span,
  named: (endpoint: EndpointItem) => Named,
): Promise<News['dead']> {
  if (!isDayOver(span)) return undefined;
  const [from, until] = [dayStart(span.from), dayStart(span.to)];
  const endpoints: (Named & { readonly count: number })[] = [];
  let exact = true;
  for (const { endpoint, runtime } of state) {
    if (runtime.dead === 0) continue;
    const page = await store.query({ ...deadRange(endpoint.id, { from, to: until - 1 }), limit: COUNTED });
    if (page.cursor !== undefined) exact = false;
    if (page.items.length > 0) endpoints.push({ ...named(endpoint), count: page.items.length });
  }
  if (endpoints.length === 0) return undefined;
  endpoints.sort((a, b) => b.count - a.count);
  const count = endpoints.reduce((sum, each) => sum + each.count, 0);
  return { since: toIso(from), until: toIso(until), count, exact, endpoints };
}
