import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const shopify: ProviderSpec = {
  id: 'shopify',
  title: 'Shopify webhooks',
  docs: 'https://shopify.dev/docs/apps/build/webhooks',
  checkedOn: '2026-11-21',
  verify: [
    { id: 'shopify', ...bodyHmac('x-shopify-hmac-sha256', 'base64') },
    // Topics of the newer family come to the same URL with the same secret, and headers without X-.
    { id: 'shopify-events', ...bodyHmac('shopify-hmac-sha256', 'base64') },
  ],
  identity: {
    key: [
      ['header:x-shopify-webhook-id'],
      ['header:shopify-webhook-id'],
      ['header:shopify-event-id', 'header:shopify-topic?'],
      ['hash:body'],
    ],
    type: ['header:x-shopify-topic', 'header:shopify-topic'],
    time: [
      { from: 'header:x-shopify-triggered-at', unit: 'iso8601' },
      { from: 'header:shopify-triggered-at', unit: 'iso8601' },
    ],
    ordering: 'json:id',
  },
  types: { character: '[a-z_./]', example: 'orders/create' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  keepHeaders: [
    'x-shopify-shop-domain',
    'x-shopify-api-version',
    'x-shopify-event-id',
    'shopify-shop-domain',
    'shopify-api-version',
  ],
  retries: 'Eight over four hours; then a subscription made through the Admin API is removed. One second to connect.',
  setup:
    "Subscribe in the app configuration (shopify.app.toml) or through the Admin API. The secret is the app's client secret (Dev Dashboard, Settings); for webhooks made in the shop admin it is under Settings, Notifications, Webhooks.",
};
