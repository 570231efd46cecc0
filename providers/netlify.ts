import type { ProviderSpec } from 'holdfast';

export const netlify: ProviderSpec = {
  id: 'netlify',
  title: 'Netlify',
  docs: 'https://docs.netlify.com/site-deploys/notifications/',
  checkedOn: '2026-11-23',
  source: 'docs.netlify.com, deploy/deploy-notifications.md.',
  unconfirmed: ['event fields', 'deadline'],
  strength: 'signed',
  verify: [
    {
      alg: 'jwt',
      sig: { from: 'header:x-webhook-signature' },
      jwtAlg: 'HS256',
      claims: { iss: 'netlify' },
      bind: [{ equals: 'claim:sha256', hash: 'sha256', encoding: 'hex' }],
      timeless: true,
    },
  ],
  identity: {
    // A deploy is reported when it begins and when it ends.
    key: [['header:x-netlify-event', 'json:id', 'json:state?', 'json:updated_at?'], ['hash:body']],
    type: ['header:x-netlify-event'],
    time: { from: 'json:updated_at', unit: 'iso8601' },
    ordering: 'json:id',
  },
  retries: 'Not documented; six failures in a row disable the notification.',
  setup:
    'Site configuration, Build & deploy (or Forms), Notifications, HTTP POST request: this URL and a JWS secret token you choose, which is the secret.',
};
