import type { ProviderSpec } from 'holdfast';

export const fusionauth: ProviderSpec = {
  id: 'fusionauth',
  title: 'FusionAuth',
  docs: 'https://fusionauth.io/docs/extend/events-and-webhooks/signing',
  checkedOn: '2026-11-23',
  source: 'fusionauth.io/docs, extend/events-and-webhooks/signing. Base64: three receivers agree.',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  strength: 'signed',
  verify: [
    {
      alg: 'jwt',
      sig: { from: 'header:x-fusionauth-signature-jwt' },
      jwtAlg: 'HS256',
      bind: [{ equals: 'claim:request_body_sha256', hash: 'sha256', encoding: 'base64' }],
      timeless: true,
    },
  ],
  identity: {
    key: [['json:event.id']],
    type: ['json:event.type'],
    time: { from: 'json:event.createInstant', unit: 'ms' },
    ordering: 'json:event.user.id',
  },
  retries: "None by default: the event's transaction setting decides whether a failure stops what caused it.",
  setup:
    'FusionAuth, Settings, Webhooks, Add: this URL; Security: sign events with an HMAC key (SHA-256) of the Key Master. The secret is that of the key.',
};
