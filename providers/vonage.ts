import type { ProviderSpec } from 'holdfast';

export const vonage: ProviderSpec = {
  id: 'vonage',
  title: 'Vonage',
  docs: 'https://developer.vonage.com/en/getting-started/concepts/webhooks',
  checkedOn: '2026-11-23',
  source: 'developer.nexmo.com, messages/concepts/signed-webhooks.',
  unconfirmed: ['event fields', 'new token on retries', 'retries', 'deadline'],
  strength: 'signed',
  verify: [
    {
      alg: 'jwt',
      sig: { from: 'header:authorization', parse: { prefix: 'Bearer ' } },
      jwtAlg: 'HS256',
      claims: { iss: 'Vonage' },
      bind: [{ equals: 'claim:payload_hash', hash: 'sha256', encoding: 'hex' }],
      // As long as the retries and some.
      maxAgeSeconds: 90_000,
    },
  ],
  identity: {
    key: [
      ['json:message_uuid', 'json:status?', 'json:timestamp'],
      ['json:uuid', 'json:status?', 'json:timestamp'],
      ['json:messageId', 'json:status?', 'json:message-timestamp'],
      ['hash:body'],
    ],
    type: ['json:message_type', 'json:status', 'json:channel'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
    ordering: 'json:message_uuid',
  },
  retries: 'For 24 hours, first often, then once a minute, after 429, 5xx and no answer.',
  setup:
    "API Dashboard, the application (or Settings for SMS): this URL with method POST and signed webhooks. The secret is the account's signature secret (Settings, SHA-256 HMAC).",
};
