import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const calendly: ProviderSpec = {
  id: 'calendly',
  title: 'Calendly',
  docs: 'https://developer.calendly.com/api-docs/webhook-signatures',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [timedHmac('calendly-webhook-signature', { past: 180, future: 180 })],
  identity: {
    key: [['json:event', 'json:payload.uri', 'json:created_at'], ['hash:body']],
    type: ['json:event'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:payload.uri',
  },
  retries: 'For 24 hours with growing waits; then the subscription is disabled.',
  setup:
    'Create the subscription through POST /webhook_subscriptions with this URL and a signing_key you choose, which is the secret. Without it nothing is signed.',
};
