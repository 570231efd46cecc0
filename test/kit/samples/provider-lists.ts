/** The list APIs of Stripe and GitHub as their documentation describes them, for `ProviderServer`. */
import { PROVIDER_URL, type ServedAnswer, type ServedCall } from '#test/kit/servers/provider-server.ts';

export const API_KEY = 'rk_test_of_the_local_server';

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  /** Seconds. */
  readonly created: number;
  readonly [name: string]: unknown;
}

/** https://docs.stripe.com/api/events/list and https://docs.stripe.com/api/pagination; at most `pageSize` events a page. */
export function stripeList(events: readonly StripeEvent[], pageSize = 100): (call: ServedCall) => ServedAnswer {
  return ({ path, query, headers }) => {
    if (headers['authorization'] !== `Bearer ${API_KEY}`)
      return { status: 401, body: { error: { type: 'invalid_request_error' } } };
    if (path !== '/v1/events') return { status: 404, body: { error: { type: 'invalid_request_error' } } };
    const [from, to] = [Number(query.get('created[gte]')), Number(query.get('created[lt]'))];
    const inRange = events.filter(it => it.created >= from && it.created < to).sort((a, b) => b.created - a.created);
    const after = query.get('starting_after');
    const start = after === null ? 0 : inRange.findIndex(it => it.id === after) + 1;
    const end = start + Math.min(pageSize, Number(query.get('limit')));
    const body = { object: 'list', url: '/v1/events', has_more: end < inRange.length, data: inRange.slice(start, end) };
    return { body };
  };
}

export interface GithubDelivery {
  readonly id: string;
  readonly guid: string;
  /** ISO 8601. */
  readonly delivered_at: string;
  readonly event: string;
  readonly action: string | null;
  readonly status: string;
  readonly status_code: number;
  readonly redelivery?: boolean;
  readonly payload?: unknown;
}

/**
 * https://docs.github.com/en/rest/repos/webhooks: the list with its `link` header, one delivery with its request, and
 * `attempts`, which answers 202 and is told to `onRedeliver`.
 */
export function githubList(
  hook: string,
  deliveries: () => readonly GithubDelivery[],
  onRedeliver: (delivery: GithubDelivery) => void,
  pageSize = 100,
): (call: ServedCall) => ServedAnswer {
  const folder = `/${hook}/deliveries`;
  return ({ method, path, query, headers }) => {
    if (headers['authorization'] !== `Bearer ${API_KEY}`) return { status: 401, body: { message: 'Bad credentials' } };
    const [, id, attempts] = new RegExp(`^${folder}/(\\d+)(/attempts)?$`).exec(path) ?? [];
    const found = deliveries().find(it => it.id === id);
    if (found && attempts && method === 'POST') {
      onRedeliver(found);
      return { status: 202, body: {} };
    }
    if (found && method === 'GET') return { body: detailOf(found) };
    if (path !== folder || method !== 'GET') return { status: 404, body: { message: 'Not Found' } };
    const sorted = [...deliveries()].sort((a, b) => b.delivered_at.localeCompare(a.delivered_at));
    const start = query.get('cursor') === null ? 0 : Number(query.get('cursor')?.replace('v1_', ''));
    const page = sorted.slice(start, start + pageSize);
    const next = `<${PROVIDER_URL}${folder}?per_page=100&cursor=v1_${start + pageSize}>; rel="next"`;
    const more = start + pageSize < sorted.length;
    // Numbers as GitHub writes them: with more digits than JSON.stringify would keep.
    const body = `[${page.map(({ id: number, payload: _, ...rest }) => `{"id":${number},${JSON.stringify({ redelivery: false, ...rest }).slice(1)}`).join(',')}]`;
    return { body, headers: more ? { link: next } : {} };
  };
}

function detailOf({ id, payload, ...rest }: GithubDelivery): string {
  const request = {
    headers: {
      'X-GitHub-Delivery': rest.guid,
      'X-GitHub-Event': rest.event,
      'X-Hub-Signature-256': 'sha256=0',
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload,
  };
  return `{"id":${id},${JSON.stringify({ ...rest, request }).slice(1)}`;
}
