import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const pagerduty: ProviderSpec = {
  id: 'pagerduty',
  title: 'PagerDuty (v3 webhooks)',
  docs: 'https://developer.pagerduty.com/docs/webhooks-overview',
  checkedOn: '2026-11-21',
  unconfirmed: ['retries', 'deadline'],
  verify: [bodyHmac('x-pagerduty-signature', 'hex', { parse: { item: ',', kv: '=', key: 'v1' } })],
  identity: {
    key: [['json:event.id']],
    type: ['json:event.event_type'],
    time: { from: 'json:event.occurred_at', unit: 'iso8601' },
    ordering: 'json:event.data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  keepHeaders: ['x-webhook-id', 'x-webhook-subscription'],
  retries: 'Over hours with growing waits; a subscription that keeps failing is disabled for a while.',
  setup:
    'PagerDuty, Integrations, Generic Webhooks (v3), New Webhook: this URL, scope and events; the secret is shown once after saving.',
};
