import { randomUUID } from 'node:crypto';

export interface SampleEvent {
  readonly body: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A realistic small event of a provider, unique on each call. Providers without a sample of their own get a generic one. */
export function sampleEvent(providerId: string, now: Date = new Date()): SampleEvent {
  const id = randomUUID().replaceAll('-', '').slice(0, 24);
  const seconds = Math.floor(now.getTime() / 1000);
  const json = (body: unknown, headers: Record<string, string> = {}): SampleEvent => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  switch (providerId) {
    case 'stripe':
      return json({
        id: `evt_${id}`,
        object: 'event',
        type: 'payment_intent.succeeded',
        created: seconds,
        livemode: false,
        data: {
          object: { id: `pi_${id}`, object: 'payment_intent', amount: 4200, currency: 'eur', status: 'succeeded' },
        },
      });
    case 'github':
      return json(
        {
          ref: 'refs/heads/main',
          before: '0'.repeat(40),
          after: `${id}${id}`.slice(0, 40),
          repository: { id: 1, full_name: 'octocat/hello-world', default_branch: 'main' },
          pusher: { name: 'octocat' },
          sender: { login: 'octocat', id: 1 },
          commits: [
            {
              id: `${id}${id}`.slice(0, 40),
              message: 'Say hello',
              author: { name: 'Mona', email: 'mona@example.com' },
            },
          ],
          head_commit: { id: `${id}${id}`.slice(0, 40), message: 'Say hello' },
        },
        { 'x-github-event': 'push', 'x-github-delivery': randomUUID(), 'x-github-hook-id': '1' },
      );
    case 'shopify':
      return json(
        { id: seconds, email: 'jon@example.com', total_price: '42.00', currency: 'EUR' },
        {
          'x-shopify-topic': 'orders/create',
          'x-shopify-shop-domain': 'example.myshopify.com',
          'x-shopify-webhook-id': randomUUID(),
          'x-shopify-triggered-at': now.toISOString(),
        },
      );
    case 'slack':
      return json({
        type: 'event_callback',
        team_id: 'T0001',
        event_id: `Ev${id}`,
        event_time: seconds,
        event: { type: 'app_mention', user: 'U0001', text: 'hello', channel: 'C0001', ts: `${seconds}.000100` },
      });
    case 'standard-webhooks':
      return json(
        { type: 'contact.created', timestamp: now.toISOString(), data: { id: `con_${id}` } },
        { 'webhook-id': `msg_${id}` },
      );
    default:
      return json({
        event_id: `evt_${id}`,
        event_type: 'order.created',
        created_at: now.toISOString(),
        data: { object: { id: `ord_${id}` } },
      });
  }
}
