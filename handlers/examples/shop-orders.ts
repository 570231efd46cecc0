/** Example: a fetcher over HTTP. What can be tried again is thrown, everything else has a name. */
import { type Fetched, type Fetcher, judgeAnswer } from 'holdfast';
import type { Order } from './order-fetch.ts';

/** `baseUrl` of the shop's API; `token` is sent as a bearer token. */
export function shopOrders(baseUrl: string, token: string): Fetcher<Order> {
  return {
    async fetch(id, signal): Promise<Fetched<Order>> {
      const response = await fetch(`${baseUrl}/orders/${encodeURIComponent(id)}`, {
        headers: { authorization: `Bearer ${token}` },
        redirect: 'manual',
        signal,
      });
      if (response.ok) {
        const object = (await response.json()) as Order & { readonly id: unknown };
        return { kind: 'found', id: String(object.id), object };
      }
      await response.body?.cancel();
      const judged = judgeAnswer(response);
      if (judged.kind === 'busy') {
        const { afterSeconds } = judged;
        return { kind: 'busy', ...(afterSeconds === undefined ? {} : { retryAfterSeconds: afterSeconds }) };
      }
      if (judged.kind === 'refused')
        return judged.cause === 'not_found'
          ? { kind: 'gone' }
          : { kind: 'refused', reason: `it answered ${response.status}` };
      throw new Error(`the shop answered ${response.status}`);
    },
  };
}
