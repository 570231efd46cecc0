import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const coinbaseCommerce: ProviderSpec = {
  id: 'coinbase-commerce',
  title: 'Coinbase Commerce',
  docs: 'https://docs.cdp.coinbase.com/commerce/api-architecture/webhooks-overview',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'deadline'],
  verify: [bodyHmac('x-cc-webhook-signature', 'hex')],
  identity: {
    key: [['json:event.id']],
    type: ['json:event.type'],
    time: { from: 'json:event.created_at', unit: 'iso8601' },
    ordering: 'json:event.data.id',
    // attempt_number counts the deliveries.
    unstableBody: true,
  },
  retries: 'For up to three days with growing waits of at most one hour.',
  setup:
    'Coinbase Commerce, Settings, Notifications, Webhook subscriptions: add this URL and reveal the shared secret.',
};
