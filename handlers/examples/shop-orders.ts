/** Example: a fetcher over HTTP. What can be tried again is thrown, everything else has a name. */
import type { Fetched, Fetcher } from 'holdfast';
import type { Order } from './order-fetch.ts';

/** `baseUrl` of the shop's API; `token` is sent as a bearer token. */
export function shopOrders(baseUrl: string, token: string): Fetcher<Order> {
  return {
    async fetch(id, signal): Promise<Fetched<Order>> {
      const response = await fetch(`${baseUrl}/orders/${encodeURIComponent(id)}`, {
        headers: { authorization: `Bearer ${token}` },
        redirect: 'error',
        signal,
      });
      if (response.ok) {
        const object = (await response.json()) as Order & { readonly id: unknown };
        return { kind: 'found', id: String(object.id), object };
      }
      await response.body?.cancel();
      if (response.status === 404 || response.status === 410) return { kind: 'gone' };
      if (response.status === 429 || response.status === 503) return { kind: 'busy', ...retryAfterOf(response) };
      if (response.status < 500) return { kind: 'refused', reason: `it answered ${response.status}` };
      throw new Error(`the shop answered ${response.status}`);
    },
  };
}

/** Retry-After in seconds; a date or anything else is left out, and a minute is waited. */
function retryAfterOf(response: Response): { retryAfterSeconds?: number } {
  const text = response.headers.get('retry-after') ?? '';
  return /^\d{1,7}$/.test(text) ? { retryAfterSeconds: Number(text) } : {};
}
