import type { ProviderSpec } from 'holdfast';

export const adyenPlatforms: ProviderSpec = {
  id: 'adyen-platforms',
  title: 'Adyen platform and management webhooks',
  docs: 'https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures',
  checkedOn: '2026-11-21',
  unconfirmed: ['that every platform webhook has an id of its own', 'same id on retries'],
  verify: [
    {
      id: 'adyen-header',
      alg: 'hmac-sha256',
      sig: { from: 'header:hmacsignature' },
      encoding: 'base64',
      key: { encoding: 'hex' },
      message: '{body}',
    },
  ],
  identity: {
    // A data id names the object, which has many events: only the body tells them apart.
    key: [['hash:body']],
    type: ['json:type', 'json:eventType'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
    ordering: 'json:data.id',
  },
  ack: { status: 200, contentType: 'text/plain', body: '[accepted]', rejectStatus: 401, deadlineMs: 10_000 },
  keepHeaders: ['protocol'],
  retries: 'Three quick attempts, then a queue for up to 30 days.',
  setup:
    'Customer Area, Developers, Webhooks: a balance platform or management webhook with this URL; generate the HMAC key (hex), which is the secret.',
};
