import type { ProviderSpec } from 'holdfast';

export const contentful: ProviderSpec = {
  id: 'contentful',
  title: 'Contentful',
  docs: 'https://www.contentful.com/developers/docs/webhooks/request-verification/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-contentful-signature' },
      encoding: 'hex',
      message: '{method}\n{pathQuery}\n{signedHeaders}\n{body}',
      url: { base: 'configured' },
      signedHeaders: { from: 'header:x-contentful-signed-headers', sep: ',', item: '{name}:{value}', join: ';' },
      time: { from: 'header:x-contentful-timestamp', unit: 'ms', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [
      ['header:x-contentful-idempotency-key'],
      ['header:x-contentful-topic', 'json:sys.id', 'hash:body'],
      // A body of the user's own may be the same for each event: only the time of signing tells them apart.
      ['header:x-contentful-topic', 'header:x-contentful-timestamp', 'hash:body'],
      ['hash:body'],
    ],
    type: ['header:x-contentful-topic'],
    // Not sys.updatedAt: an entry that is archived or deleted may have that of its last change.
    time: { from: 'header:x-contentful-timestamp', unit: 'ms' },
    ordering: 'json:sys.id',
  },
  signatureHeaders: ['x-contentful-signature', 'x-contentful-signed-headers', 'x-contentful-timestamp'],
  keepHeaders: ['x-contentful-webhook-name'],
  retries: 'Twice, 30 seconds apart, after 429 and 5xx.',
  setup:
    'Contentful, Settings, Webhooks: this URL without a query; then Request verification in its Settings: enable it for the space and copy the signing secret (64 characters, shown once).',
};
