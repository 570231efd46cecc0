import type { ProviderSpec } from 'holdfast';

export const bigcommerce: ProviderSpec = {
  id: 'bigcommerce',
  title: 'BigCommerce',
  docs: 'https://developer.bigcommerce.com/docs/integrations/webhooks',
  checkedOn: '2026-11-23',
  source: 'bigcommerce/docs, docs/integrations/webhooks/https-webhook-overview.mdx.',
  unconfirmed: [
    'same webhook-id on retries (read if created_at is missing)',
    'that every notice has created_at (one example lacks it)',
    'deadline',
  ],
  verify: [
    {
      id: 'bigcommerce-signed',
      alg: 'hmac-sha256',
      strength: 'signed',
      sig: { from: 'header:webhook-signature', parse: { item: ' ', kv: ',', key: 'v1' } },
      encoding: 'base64',
      message: '{header:webhook-id}.{ts}.{body}',
      time: { from: 'header:webhook-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
    { id: 'bigcommerce', alg: 'token', sig: { from: 'header:authorization' } },
  ],
  identity: {
    // The hash is that of the notice, which is the same for two changes of one second.
    key: [
      ['json:producer?', 'json:scope', 'json:data.id?', 'json:created_at', 'json:hash'],
      // Without its time, two changes of one object look the same.
      ['header:webhook-id', 'json:hash'],
    ],
    type: ['json:scope'],
    time: { from: 'json:created_at', unit: 's' },
    ordering: 'json:data.id',
  },
  retries: 'After 1, 3, 5, 10, 15, 30 minutes, 1, 2, 6, 14 and 24 hours (48 in all); then the webhook is disabled.',
  setup:
    'Create the webhook through the API with this URL as destination. The secret is the client secret of the account or app that created it. Unsigned webhooks: set headers: { "authorization": a random text }, and that text is the secret. Notices only name the object: read it through the API.',
};
