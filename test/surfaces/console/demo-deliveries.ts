/** Customers of a shop and what they are sent, over the real API and engine in memory. */
import { HOUR_MS } from '#core/time.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import { producerWorld } from '#test/kit/producer-world.ts';

const CUSTOMERS = [
  ['acme', 'Acme', ['https://hooks.acme.com/payments', 'https://ops.acme.com/holdfast']],
  ['northwind', 'Northwind Traders', ['https://api.northwind.com/webhooks']],
  ['contoso', 'Contoso', ['https://events.contoso.com/in']],
] as const;
const TYPES = ['invoice.paid', 'invoice.created', 'order.shipped', 'refund.issued', 'customer.updated'] as const;

export interface Demo {
  readonly api: DeliveryApi;
  /** Of the customer whose endpoint answers 503, and its last message. */
  readonly failing: { readonly app: string; readonly ep: string; readonly message: string };
  /** From now on every endpoint answers so. */
  answer(status: number): void;
}

/** `texts`: what customers and strangers write, in every field that takes it. */
export async function demoDeliveries(now: number, texts: readonly string[] = []): Promise<Demo> {
  const world = producerWorld(now - HOUR_MS);
  const failing = { app: 'uid:northwind', ep: '', message: '' };
  for (const [uid, name, urls] of CUSTOMERS) {
    const made = await world.call('POST /v1/apps', {}, { uid, name: texts[0]?.slice(0, 100) ?? name });
    for (const url of urls) {
      const path = { app: made.body.id as string };
      const endpoint = await world.call('POST /v1/apps/{app}/endpoints', path, { url });
      if (uid === 'northwind') failing.ep = endpoint.body.id as string;
    }
  }
  for (let n = 0; n < 36; n++) {
    const [uid] = CUSTOMERS[n % 3] ?? CUSTOMERS[0];
    world.answer(uid === 'northwind' && n > 27 ? 503 : 200);
    world.say(uid === 'northwind' && n > 27 ? (texts[n] ?? '{"error":"upstream is down","retry":true}') : 'ok');
    const type = TYPES[(n * 7) % TYPES.length];
    const data = { id: `in_1P${4_000 + n}`, amount: 1_200 + n * 35, note: texts[n] ?? 'thank you' };
    const sent = await world.publish(`uid:${uid}`, JSON.stringify({ key: `k${n}`, type, data }));
    await world.settle();
    if (uid === 'northwind') failing.message = sent.body.id as string;
    world.pass(97_000);
  }
  return { api: world.api, failing, answer: status => world.answer(status) };
}
