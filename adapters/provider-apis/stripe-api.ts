/**
 * Stripe's API: the events of the account (https://docs.stripe.com/api/events/list: newest first, 30 days, `created`
 * range, `starting_after`, `has_more`) and its objects. Credential: a restricted key with read access to Events (and to
 * what is fetched), sent as a bearer token (https://docs.stripe.com/api/authentication).
 */
import { given } from '#core/given.ts';
import type { Fetched, Fetcher } from '#core/handler/ordering/fetch-latest.ts';
import type { ApiAnswer, DeliveryApi, DeliveryPage, ListedDelivery } from '#core/inbound/reconcile/delivery-api.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { type JsonDocument, ROOT, scanJson } from '#core/scan/json-scan.ts';
import { parseObject, toFetched } from './fetched.ts';
import { garbage, ProviderApi, type ProviderApiOptions } from './provider-api.ts';

const STRIPE_URL = 'https://api.stripe.com';
const PAGE = 100;
const LIST_BYTES = 16 * 1_048_576;

const stripeApi = (options: ProviderApiOptions): ProviderApi =>
  new ProviderApi(STRIPE_URL, options, key => ({ authorization: `Bearer ${key}` }));

/**
 * Makes a fetcher of one kind of object. `collection` is as in the URL: `invoices`, `customers`, `subscriptions`. An
 * object that Stripe marks as `deleted` is gone (https://docs.stripe.com/api/customers/delete).
 * @example
 * const credential = secretCredential(handlerEnv('API_SECRET_STRIPE'));
 * const invoices = stripeFetcher<{ status: string }>('invoices', { credential });
 */
export function stripeFetcher<T = Readonly<Record<string, unknown>>>(
  collection: string,
  options: ProviderApiOptions,
): Fetcher<T> {
  const api = stripeApi(options);
  return {
    async fetch(id, signal): Promise<Fetched<T>> {
      const path = `/v1/${collection}/${encodeURIComponent(id)}`;
      return toFetched(await api.call({ method: 'GET', path, signal }), ({ text }) => {
        const object = parseObject(text);
        return object['deleted'] === true ? undefined : { id: object['id'], object };
      });
    },
  };
}

/** What Stripe has tried, or will try, to deliver. The list carries each event whole, as its webhook does. */
export function stripeDeliveries(options: ProviderApiOptions): DeliveryApi {
  const api = stripeApi({ maxBytes: LIST_BYTES, timeoutMs: 20_000, ...options });
  return {
    async list({ from, to }, cursor): Promise<ApiAnswer<DeliveryPage>> {
      const query = new URLSearchParams({
        limit: String(PAGE),
        'created[gte]': String(Math.floor(from / 1_000)),
        'created[lt]': String(Math.ceil(to / 1_000)),
        ...given({ starting_after: cursor }),
      });
      const answer = await api.call({ method: 'GET', path: `/v1/events?${query}` });
      return answer.kind === 'answered' ? { kind: 'answered', value: readPage(answer.value.text) } : answer;
    },
    async fetch() {
      return { kind: 'gone' };
    },
  };
}

function readPage(text: string): DeliveryPage {
  const document = scanJson(utf8(text));
  const data = document?.member(ROOT, 'data');
  const more = document?.member(ROOT, 'has_more');
  if (!document || data === undefined || document.kind(data) !== 'array' || more === undefined)
    throw garbage('a list of events');
  const deliveries = document.elements(data).map(node => readEvent(document, node));
  const last = deliveries.at(-1);
  if (document.kind(more) !== 'true') return { deliveries };
  if (!last) throw garbage('a page with events, though there are more');
  return { deliveries, next: last.providerEventId };
}

function readEvent(document: JsonDocument, node: number): ListedDelivery {
  const read = (name: string): string | undefined => document.textAt(name, node);
  const [id, eventType, created] = [read('id'), read('type'), Number(read('created'))];
  if (!id || !eventType || !Number.isSafeInteger(created)) throw garbage('an event with id, type and created');
  return {
    providerEventId: id,
    eventType,
    at: created * 1_000,
    attemptId: '',
    content: { headers: { 'content-type': 'application/json' }, body: document.slice(node) },
  };
}
