import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const shopifyEvents: ProviderSpec = {
  id: 'shopify-events',
  title: 'Shopify events',
  docs: 'https://shopify.dev/docs/apps/build/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['header names (from the Shopify SDK)', 'retries and deadline (those of Shopify webhooks)'],
  verify: [bodyHmac('shopify-hmac-sha256', 'base64')],
  identity: {
    key: [
      ['header:shopify-webhook-id'],
      // Several subscriptions share the id of one event.
      ['header:shopify-event-id', 'header:shopify-topic?'],
    ],
    type: ['header:shopify-topic'],
    time: { from: 'header:shopify-triggered-at', unit: 'iso8601' },
    ordering: 'json:id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  keepHeaders: ['shopify-shop-domain', 'shopify-api-version'],
  retries: 'Eight over four hours, as for Shopify webhooks.',
  setup:
    "Subscribe in the app configuration. Deliveries look like those of Shopify webhooks, but headers lack X-. The secret is the app's client secret.",
};
