import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const revenuecat: ProviderSpec = {
  id: 'revenuecat',
  title: 'RevenueCat',
  docs: 'https://www.revenuecat.com/docs/integrations/webhooks',
  checkedOn: '2026-11-23',
  source: 'RevenueCat/docs, docs/integrations/webhooks.md. Signature: seven receivers agree.',
  unconfirmed: ['the signature (t and v1 in X-RevenueCat-Webhook-Signature)'],
  verify: [
    { id: 'revenuecat-signed', strength: 'signed', ...timedHmac('x-revenuecat-webhook-signature') },
    { id: 'revenuecat', alg: 'token', sig: { from: 'header:authorization' } },
  ],
  identity: {
    key: [['json:event.id']],
    type: ['json:event.type'],
    time: { from: 'json:event.event_timestamp_ms', unit: 'ms' },
    ordering: 'json:event.app_user_id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 60_000 },
  retries: 'Five: after 5, 10, 20, 40 and 80 minutes; the event id stays.',
  setup:
    'RevenueCat, Project, Integrations, Webhooks: this URL. Switch signing on, which shows the secret. Or enter a random text as Authorization header value: that whole text is the secret.',
};
