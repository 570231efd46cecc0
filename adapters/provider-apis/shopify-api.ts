/**
 * Shopify's GraphQL Admin API (https://shopify.dev/docs/api/admin-graphql): objects by their global id
 * (https://shopify.dev/docs/api/usage/gids). Limits are counted in points of cost
 * (https://shopify.dev/docs/api/usage/limits): a throttled query is a 200 with an error, and says how many points are there.
 * Credential: an Admin API access token of the shop, sent as `X-Shopify-Access-Token`. It has no list of deliveries.
 */
import type { Fetched, Fetcher } from '#core/handler/ordering/fetch-latest.ts';
import { parseObject, toFetched } from './fetched.ts';
import { garbage, ProviderApi, type ProviderApiOptions } from './provider-api.ts';

/** An object of the Admin GraphQL API as the fetcher reads it. */
export interface ShopifyObject {
  /** The GraphQL type, e.g. `Order`. */
  readonly type: string;
  /** The fields to read, e.g. `updatedAt displayFinancialStatus totalPriceSet { shopMoney { amount } }`. */
  readonly fields: string;
  /** Version of the API, e.g. `2026-10`. Shopify supports each for a year. */
  readonly apiVersion: string;
}

/** How to call a shop's API: `ProviderApiOptions`, but `baseUrl` is the shop. */
export interface ShopifyApiOptions extends Omit<ProviderApiOptions, 'baseUrl'> {
  /** Origin of the shop, e.g. `https://acme.myshopify.com`. */
  readonly baseUrl: string;
}

/**
 * Makes a fetcher of one kind of object. It takes ids as webhooks have them (`820982911946154508`), and global ones.
 * @example
 * const credential = secretCredential(handlerEnv('API_SECRET_SHOPIFY'));
 * const object = { type: 'Order', fields: 'updatedAt displayFinancialStatus', apiVersion: '2026-10' };
 * const orders = shopifyFetcher<{ updatedAt: string }>(object, { credential, baseUrl: 'https://acme.myshopify.com' });
 */
export function shopifyFetcher<T = Readonly<Record<string, unknown>>>(
  { type, fields, apiVersion }: ShopifyObject,
  options: ShopifyApiOptions,
): Fetcher<T> {
  const api = new ProviderApi(options.baseUrl, options, token => ({ 'x-shopify-access-token': token }));
  const query = `query ($id: ID!) { node(id: $id) { id ... on ${type} { ${fields} } } }`;
  const path = `/admin/api/${apiVersion}/graphql.json`;
  return {
    async fetch(id, signal): Promise<Fetched<T>> {
      const globalId = id.startsWith('gid://') ? id : `gid://shopify/${type}/${id}`;
      const body = JSON.stringify({ query, variables: { id: globalId } });
      const answer = await api.call({ method: 'POST', path, body, signal });
      if (answer.kind !== 'answered') return answer;
      const result = parseObject(answer.value.text);
      const failure = failureOf(result);
      if (failure) return failure;
      return toFetched<T>(answer, () => {
        const node = asObject(asObject(result['data'])?.['node']);
        return node && { id: node['id'] === globalId ? id : node['id'], object: node };
      });
    },
  };
}

/** Codes: https://shopify.dev/docs/api/admin-graphql#status_and_error_codes */
function failureOf(result: Readonly<Record<string, unknown>>): Fetched<never> | undefined {
  const { errors, extensions, data } = result;
  if (errors === undefined) {
    if (asObject(data) === undefined || !('node' in (data as object))) throw garbage('the answer of a node query');
    return undefined;
  }
  const list = Array.isArray(errors) ? errors.map(asObject) : [];
  const codes = list.map(error => String(asObject(error?.['extensions'])?.['code'] ?? 'unknown'));
  if (codes.includes('THROTTLED')) return { kind: 'busy', ...waitOf(extensions) };
  if (codes.includes('INTERNAL_SERVER_ERROR')) throw garbage('an answer without an internal error');
  return {
    kind: 'refused',
    reason: `Shopify's API refused the query: ${[...new Set(codes)].join(', ').slice(0, 200)}`,
  };
}

/** Until the points that are missing are there again. */
function waitOf(extensions: unknown): { retryAfterSeconds?: number } {
  const cost = asObject(asObject(extensions)?.['cost']);
  const status = asObject(cost?.['throttleStatus']);
  const [wanted, available, rate] = [
    cost?.['requestedQueryCost'],
    status?.['currentlyAvailable'],
    status?.['restoreRate'],
  ];
  if (typeof wanted !== 'number' || typeof available !== 'number' || typeof rate !== 'number' || rate <= 0) return {};
  return { retryAfterSeconds: Math.max(1, Math.ceil((wanted - available) / rate)) };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
