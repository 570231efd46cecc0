import type { ProviderSpec } from 'holdfast';

export const paypal: ProviderSpec = {
  id: 'paypal',
  title: 'PayPal',
  docs: 'https://developer.paypal.com/api/rest/webhooks/rest/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'new time on retries', 'deadline'],
  strength: 'origin',
  verify: [
    {
      alg: 'rsa-sha256',
      sig: { from: 'header:paypal-transmission-sig' },
      encoding: 'base64',
      key: {
        provider: 'x509Url',
        from: 'header:paypal-cert-url',
        hosts: '^api(?:\\.sandbox)?\\.paypal\\.com$',
        paths: '^/v1/notifications/certs/CERT-[A-Za-z0-9-]+$',
      },
      message: '{header:paypal-transmission-id}|{ts}|{config:webhookId}|{crc32(body)}',
      // As long as the retries: whether they are signed anew is not documented. The event id removes repetitions.
      time: { from: 'header:paypal-transmission-time', unit: 'iso8601', past: 345_600, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:event_type'],
    time: { from: 'json:create_time', unit: 'iso8601' },
    ordering: 'json:resource.id',
  },
  signatureHeaders: [
    'paypal-transmission-sig',
    'paypal-transmission-id',
    'paypal-transmission-time',
    'paypal-cert-url',
    'paypal-auth-algo',
  ],
  settings: { webhookId: "The webhook's id in that dashboard" },
  retries: 'Up to 25 over three days.',
  setup:
    'PayPal Developer Dashboard, Apps & Credentials, the app, Webhooks: add this URL. There is no secret. The signature covers a CRC-32 of the body, no cryptographic hash: fetch the resource by its id before you act on a large amount.',
};
