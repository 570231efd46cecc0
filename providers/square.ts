import type { ProviderSpec } from 'holdfast';

export const square: ProviderSpec = {
  id: 'square',
  title: 'Square',
  docs: 'https://developer.squareup.com/docs/webhooks/overview',
  checkedOn: '2026-11-21',
  unconfirmed: ['the deadline of ten seconds (pages say "as soon as possible")'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-square-hmacsha256-signature' },
      encoding: 'base64',
      message: '{url}{body}',
      url: { base: 'configured' },
    },
  ],
  identity: {
    key: [['json:event_id']],
    type: ['json:type'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:data.id',
  },
  keepHeaders: ['square-environment', 'square-retry-number', 'square-retry-reason'],
  retries: 'For up to 24 hours; an endpoint without good answers for three weeks is disabled.',
  setup:
    "Developer Console, the application, Webhooks, Subscriptions, Add subscription: this URL, letter by letter as the source has it. The secret is the subscription's Signature Key.",
};
