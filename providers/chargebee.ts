import type { ProviderSpec } from 'holdfast';

export const chargebee: ProviderSpec = {
  id: 'chargebee',
  title: 'Chargebee',
  docs: 'https://www.chargebee.com/docs/billing/2.0/site-configuration/webhook_settings',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [{ alg: 'basic', sig: { from: 'header:authorization' } }],
  identity: {
    key: [['json:id']],
    type: ['json:event_type'],
    time: { from: 'json:occurred_at', unit: 's' },
    ordering: 'json:content.subscription.id',
    // webhooks[].webhook_status in the body changes between deliveries.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 20_000 },
  retries: 'Up to seven over about two days.',
  setup:
    'Chargebee, Settings, Configure Chargebee, Webhooks: this URL, Protect webhook URL with basic authentication, a user and password you choose. The secret is user:password.',
};
