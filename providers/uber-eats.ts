import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const uberEats: ProviderSpec = {
  id: 'uber-eats',
  title: 'Uber Eats',
  docs: 'https://developer.uber.com/docs/eats/guides/webhooks',
  checkedOn: '2026-11-27',
  source: 'developer.uber.com, eats webhooks (orders.notification, orders.release) and guides of webhooks.',
  unconfirmed: ['deadline'],
  verify: [bodyHmac('x-uber-signature', 'hex')],
  identity: {
    key: [['json:event_id']],
    type: ['json:event_type'],
    time: { from: 'json:event_time', unit: 's' },
    ordering: 'json:meta.resource_id',
  },
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 401, deadlineMs: 10_000 },
  retries: 'After 1, 2, 4 seconds and so on, seven attempts in all.',
  setup:
    "Uber Developer Dashboard, the app, Webhooks: this URL as primary webhook URL. The secret is the app's client secret; for Uber Direct the webhook's signing key.",
};
