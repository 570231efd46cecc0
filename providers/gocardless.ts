import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const gocardless: ProviderSpec = {
  id: 'gocardless',
  title: 'GoCardless',
  docs: 'https://developer.gocardless.com/api-reference/#appendix-webhooks',
  checkedOn: '2026-11-23',
  source: 'gocardless/gocardless-nodejs, src/webhooks.ts and types.',
  unconfirmed: ['same events in the same order on retries', 'retries', 'deadline'],
  verify: [bodyHmac('webhook-signature', 'hex')],
  identity: {
    items: 'events[]',
    key: [['json:id']],
    type: ['json:resource_type', 'json:action'],
    typeJoin: '.',
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:links.payment',
  },
  retries: 'Up to eight with growing waits. A person can resend from the dashboard: event ids stay.',
  setup: 'GoCardless Dashboard, Developers, Create, Webhook endpoint: this URL and a secret.',
};
